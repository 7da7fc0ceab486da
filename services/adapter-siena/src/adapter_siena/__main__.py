"""Start a SIENA adapter: `python -m adapter_siena --federation FILE --run FOLDER …`."""

import sys

from adapter_siena.app import main

if __name__ == "__main__":
    sys.exit(main())

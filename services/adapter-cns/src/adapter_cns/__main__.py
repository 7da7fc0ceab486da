"""Start a CNS adapter: `python -m adapter_cns --federation FILE --run FOLDER …`."""

import sys

from adapter_cns.app import main

if __name__ == "__main__":
    sys.exit(main())

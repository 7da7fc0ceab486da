"""Start the adapter: `python -m adapter_cosmic --federation FILE --gateway G …`."""

import sys

from adapter_cosmic.app import main

if __name__ == "__main__":
    sys.exit(main())

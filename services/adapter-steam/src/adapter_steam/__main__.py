"""Start the adapter: `python -m adapter_steam --federation FILE --gateway G …`."""

import sys

from adapter_steam.app import main

if __name__ == "__main__":
    sys.exit(main())

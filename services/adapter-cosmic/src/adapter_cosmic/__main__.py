"""Start the adapter: `python -m adapter_cosmic --federation FILE --gateway G …`."""

from adapter_cosmic.app import main

if __name__ == "__main__":
    main()

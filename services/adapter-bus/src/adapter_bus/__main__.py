"""Start an adapter of a building: `python -m adapter_bus --federation FILE --run FOLDER …`."""

from adapter_bus.app import main

if __name__ == "__main__":
    main()

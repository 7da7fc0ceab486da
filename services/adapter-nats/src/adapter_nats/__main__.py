"""Start a NATS adapter: `python -m adapter_nats --federation FILE --run FOLDER …`."""

from adapter_nats.app import main

if __name__ == "__main__":
    main()

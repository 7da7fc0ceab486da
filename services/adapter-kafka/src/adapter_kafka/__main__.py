"""Start a Kafka adapter: `python -m adapter_kafka --federation FILE --run FOLDER …`."""

from adapter_kafka.app import main

if __name__ == "__main__":
    main()

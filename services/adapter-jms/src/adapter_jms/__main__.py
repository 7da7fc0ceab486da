"""Start a JMS adapter: `python -m adapter_jms --federation FILE --run FOLDER …`."""

from adapter_jms.app import main

if __name__ == "__main__":
    main()

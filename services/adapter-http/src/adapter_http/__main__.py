"""Start an HTTP adapter: `python -m adapter_http --federation FILE --run FOLDER …`."""

from adapter_http.app import main

if __name__ == "__main__":
    main()

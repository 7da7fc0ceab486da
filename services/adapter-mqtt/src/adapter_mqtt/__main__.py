"""Start an MQTT adapter: `python -m adapter_mqtt --federation FILE --run FOLDER …`."""

from adapter_mqtt.app import main

if __name__ == "__main__":
    main()

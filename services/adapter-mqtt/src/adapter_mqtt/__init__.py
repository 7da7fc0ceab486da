"""The MQTT adapter: maps plain MQTT messages to the FES event model and back."""

from adapter_mqtt.adapter import MqttAdapter
from adapter_mqtt.settings import Settings

__all__ = ["MqttAdapter", "Settings"]

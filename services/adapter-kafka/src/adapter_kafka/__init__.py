"""The Kafka adapter: maps records of Kafka to the FES event model and back."""

from adapter_kafka.adapter import KafkaAdapter
from adapter_kafka.settings import Settings

__all__ = ["KafkaAdapter", "Settings"]

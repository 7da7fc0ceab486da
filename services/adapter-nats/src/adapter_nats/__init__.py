"""The NATS adapter: maps plain NATS messages to the FES event model and back."""

from adapter_nats.adapter import NatsAdapter
from adapter_nats.settings import Settings

__all__ = ["NatsAdapter", "Settings"]

"""The JMS adapter: maps messages of JMS, by STOMP, to the FES event model and back."""

from adapter_jms.adapter import JmsAdapter
from adapter_jms.settings import Settings

__all__ = ["JmsAdapter", "Settings"]

"""Events that wait for one consumer: in which order they leave, and which are discarded."""

from eventservices.cns.queueing.event_queue import EventQueue
from eventservices.cns.queueing.item import Item, Receipt

__all__ = ["EventQueue", "Item", "Receipt"]

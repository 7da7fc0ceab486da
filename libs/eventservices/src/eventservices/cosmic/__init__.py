"""COSMIC: event channels on CAN, by python-can.

`Bus` is what the nodes of a process share; `Node` announces, publishes and subscribes; `Broker`
assigns etags to subjects. See `docs/cosmic.md` of this library.
"""

from eventservices.cosmic.attributes import ChannelAttributes
from eventservices.cosmic.broker import Broker
from eventservices.cosmic.bus import Bus
from eventservices.cosmic.calendar import Calendar, Slot
from eventservices.cosmic.driver import Interface
from eventservices.cosmic.event import ChannelException, Delivery, Event, Fault
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.identifier import Etag, Identifier, TimeClass
from eventservices.cosmic.node import Node
from eventservices.cosmic.publication import Publication
from eventservices.cosmic.record import Item, Kind, Record, record
from eventservices.cosmic.settings import BusSettings, NodeSettings
from eventservices.cosmic.subject import subject_uid
from eventservices.cosmic.subscription import Subscription

__all__ = [
    "Broker",
    "Bus",
    "BusSettings",
    "Calendar",
    "ChannelAttributes",
    "ChannelException",
    "Delivery",
    "Etag",
    "Event",
    "Fault",
    "Frame",
    "Identifier",
    "Interface",
    "Item",
    "Kind",
    "Node",
    "NodeSettings",
    "Publication",
    "Record",
    "Slot",
    "Subscription",
    "TimeClass",
    "record",
    "subject_uid",
]

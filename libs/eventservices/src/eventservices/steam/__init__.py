"""STEAM: a proximity-limited wireless event service, emulated on MQTT 3.1.1.

`Air` is the medium that the nodes of a process share; `Node` announces, publishes and subscribes;
`Discovery` knows who announces what around a place; `Observer` sees all that happens. See
`docs/steam.md` of this library.
"""

from eventservices.steam.air import Air
from eventservices.steam.beacon import Announcement, Membership, Sender
from eventservices.steam.consumer import Subscription
from eventservices.steam.content import ContentFilter, Term, between
from eventservices.steam.counters import Counters
from eventservices.steam.discovery import Discovery, Found
from eventservices.steam.event import Event, Notification, Value
from eventservices.steam.event_type import EventType, Field
from eventservices.steam.fanout import SetAside
from eventservices.steam.geometry import Position, distance_m
from eventservices.steam.inbox import Inbox
from eventservices.steam.location import FixedLocation, LiveLocation, Location, TraceLocation
from eventservices.steam.node import Node
from eventservices.steam.node_settings import NodeSettings
from eventservices.steam.observer import Observer, Sighting
from eventservices.steam.pool import AirPool
from eventservices.steam.proximity import (
    Circle,
    Proximity,
    Rectangle,
    around,
    contains,
    format_proximity,
    parse_proximity,
)
from eventservices.steam.settings import AirSettings

__all__ = [
    "Air",
    "AirPool",
    "AirSettings",
    "Announcement",
    "Circle",
    "ContentFilter",
    "Counters",
    "Discovery",
    "Event",
    "EventType",
    "Field",
    "FixedLocation",
    "Found",
    "Inbox",
    "LiveLocation",
    "Location",
    "Membership",
    "Node",
    "NodeSettings",
    "Notification",
    "Observer",
    "Position",
    "Proximity",
    "Rectangle",
    "Sender",
    "SetAside",
    "Sighting",
    "Subscription",
    "Term",
    "TraceLocation",
    "Value",
    "around",
    "between",
    "contains",
    "distance_m",
    "format_proximity",
    "parse_proximity",
]

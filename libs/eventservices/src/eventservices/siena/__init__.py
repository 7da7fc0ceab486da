"""SIENA on NATS servers in a cluster: a subscription-based, content-based event service.

Any access point works. A `Connection` carries `Client`s; a client publishes `Notification`s,
subscribes with a `Filter` and a callback, and advertises what it is going to publish.
"""

from eventservices.siena.client import Client
from eventservices.siena.connection import Connection
from eventservices.siena.counters import Counters, Malformed
from eventservices.siena.covering import covers, covers_advertisement, covers_constraint
from eventservices.siena.errors import IndexMismatchError
from eventservices.siena.filters import Constraint, Filter, Op, where
from eventservices.siena.intake import Callback, Subscription
from eventservices.siena.matching import compile_filter
from eventservices.siena.notification import Notification
from eventservices.siena.options import Options
from eventservices.siena.peers import Seen
from eventservices.siena.presence import Kind
from eventservices.siena.scan import TextError
from eventservices.siena.text import (
    format_filter,
    format_notification,
    parse_filter,
    parse_notification,
)
from eventservices.siena.values import Value, check_name

__all__ = [
    "Callback",
    "Client",
    "Connection",
    "Constraint",
    "Counters",
    "Filter",
    "IndexMismatchError",
    "Kind",
    "Malformed",
    "Notification",
    "Op",
    "Options",
    "Seen",
    "Subscription",
    "TextError",
    "Value",
    "check_name",
    "compile_filter",
    "covers",
    "covers_advertisement",
    "covers_constraint",
    "format_filter",
    "format_notification",
    "parse_filter",
    "parse_notification",
    "where",
]

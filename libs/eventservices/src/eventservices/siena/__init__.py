"""SIENA on NATS servers in a cluster: a content-based event service.

Any access point works. A `Connection` carries `Client`s; a client publishes `Notification`s,
subscribes with a `Filter` or a `Pattern`, and advertises what it is going to publish.
"""

from eventservices.siena.advertising import Semantics, covers_notification, relates
from eventservices.siena.bounded import Keep
from eventservices.siena.client import Client
from eventservices.siena.connection import Connection
from eventservices.siena.counters import Counters, Malformed
from eventservices.siena.covering import (
    covers,
    covers_advertisement,
    covers_constraint,
    covers_pattern,
)
from eventservices.siena.errors import IndexMismatchError, SemanticsMismatchError
from eventservices.siena.filters import Constraint, Filter, Op, where
from eventservices.siena.matching import compile_filter
from eventservices.siena.notification import Notification
from eventservices.siena.observation import Observation
from eventservices.siena.options import Options
from eventservices.siena.pattern import Pattern, sequence
from eventservices.siena.presence import Kind
from eventservices.siena.scan import TextError
from eventservices.siena.seen import Seen
from eventservices.siena.stream import Stream
from eventservices.siena.subscription import (
    AnySubscription,
    Callback,
    Delivery,
    PatternCallback,
    PatternMatch,
    PatternSubscription,
    Subscription,
)
from eventservices.siena.table import FilterTable
from eventservices.siena.text import (
    format_filter,
    format_notification,
    format_pattern,
    parse_filter,
    parse_notification,
    parse_pattern,
)
from eventservices.siena.values import Value, check_name

__all__ = [
    "AnySubscription",
    "Callback",
    "Client",
    "Connection",
    "Constraint",
    "Counters",
    "Delivery",
    "Filter",
    "FilterTable",
    "IndexMismatchError",
    "Keep",
    "Kind",
    "Malformed",
    "Notification",
    "Observation",
    "Op",
    "Options",
    "Pattern",
    "PatternCallback",
    "PatternMatch",
    "PatternSubscription",
    "Seen",
    "Semantics",
    "SemanticsMismatchError",
    "Stream",
    "Subscription",
    "TextError",
    "Value",
    "check_name",
    "compile_filter",
    "covers",
    "covers_advertisement",
    "covers_constraint",
    "covers_notification",
    "covers_pattern",
    "format_filter",
    "format_notification",
    "format_pattern",
    "parse_filter",
    "parse_notification",
    "parse_pattern",
    "relates",
    "sequence",
    "where",
]

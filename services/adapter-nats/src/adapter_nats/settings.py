"""What `federation.yaml` may say of a NATS event service."""

from typing import Literal

from fes.adapter.plain.settings import Name, PlainRoute, PlainSettings
from fes.mapping.topics.levels import NATS, TopicNames


class Route(PlainRoute, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Subjects of one kind of event, whose tokens are parameters.

    Attributes:
        subject: Tokens as they stand, or `{name}` for a parameter of type string.
    """

    subject: Name


class Settings(PlainSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        routes: Subjects whose tokens are parameters; any other subject is that of its event.
        separator: What separates the levels of subjects in the federation. With `/`, `.` and `/`
            change places, so that topics of MQTT keep their look.
        stamped: Whether messages without a stamp are left to another gateway's adapter.
    """

    routes: tuple[Route, ...] = ()
    separator: Literal[".", "/"] = "."
    stamped: bool = False

    def topics(self) -> tuple[tuple[str, PlainRoute], ...]:
        """Return the routes, each with its subject."""
        return tuple((each.subject, each) for each in self.routes)

    def names(self) -> TopicNames:
        """Return the way of names."""
        return TopicNames(NATS, self.separator)

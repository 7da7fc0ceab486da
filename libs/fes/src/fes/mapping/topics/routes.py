"""Topics whose levels are parameters: `sensors.{room}.{quantity}`, in both directions.

A route names the topics of one kind of event. Inbound its levels become parameters of type
string, before those of the payload; outbound they are read from the parameters. An event that would
come back as another one is refused before it is published.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from fes.errors import MappingError
from fes.mapping.topics.levels import TopicNames, is_servers
from fes.model import Field, Type, is_reserved

MAX_ROUTES: Final = 256
"""Most routes of one event service."""

TOPIC_BYTES: Final = 2048
"""Longest topic; a NATS server ends the connection above 4096 bytes for the whole control line."""

_PARAMETER: Final = re.compile(r"\{([^{}]+)\}")


class Taken(NamedTuple):
    """The content of a topic.

    Attributes:
        subject: Native subject of the event.
        levels: Its parameters that are in the topic.
        route: Index of the route; None where the topic is the subject itself.
    """

    subject: str
    levels: tuple[Field, ...]
    route: int | None


class Placed(NamedTuple):
    """The topic at which an event is published.

    Attributes:
        topic: The topic, valid at the service.
        parameters: The remaining parameters, for the payload.
        route: As in `Taken`.
    """

    topic: str
    parameters: tuple[Field, ...]
    route: int | None


@dataclass(frozen=True, slots=True)
class Route:
    """A compiled kind of topic.

    Attributes:
        event: Native subject of its events.
        levels: In order, each a literal text and the name of a parameter, of which one is "".
    """

    event: str
    levels: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that are in its topics."""
        return tuple(name for _, name in self.levels if name)


def route_of(topic: str, event: str, names: TopicNames) -> Route:
    """Return the route of a pattern.

    Args:
        topic: Levels as at the service, or `{name}` for a parameter.
        event: Native subject of its events.
        names: The conversion between subjects and topics.

        Raises: ValueError: The pattern is not valid; the message states why.
    """
    syntax = names.syntax
    if is_reserved(event):
        raise ValueError("subjects that begin with FES_ are reserved")
    levels: list[tuple[str, str]] = []
    for each in topic.split(syntax.separator):
        found = _PARAMETER.fullmatch(each)
        levels.append(("", found[1]) if found else (each, ""))
        if not found and (set(each) & {*syntax.illegal, "{", "}"}):
            raise ValueError(f"level {each!r} of {topic!r} is neither a text nor one {{name}}")
        if not each and not syntax.empty_levels:
            raise ValueError(f"{topic!r} has an empty level")
    twice = [name for name, count in Counter(name for _, name in levels).items() if count > 1]
    if [name for name in twice if name]:
        raise ValueError(f"parameter {next(filter(None, twice))!r} occurs twice in {topic!r}")
    return Route(event, tuple(levels))


class Routes:
    """The topics of one event service.

    Args:
        routes: In order of preference.
        names: The conversion between subjects and topics, for topics without a route.

    Attributes:
        events: Native subjects of the routes' events.
    """

    def __init__(self, routes: Sequence[Route], names: TopicNames) -> None:
        self.routes = tuple(routes)
        self.events = frozenset(route.event for route in self.routes)
        self.names = names
        self._separator = names.syntax.separator

    def take(self, topic: str) -> Taken | None:
        """Return the content of a topic; None where it is the server's own, and no event.

        Raises:
            MappingError: Its subject is that of a route which it does not follow, so that it would
                be published elsewhere.
        """
        levels = topic.split(self._separator)
        for index, route in enumerate(self.routes):
            if _fits(route, levels):
                values = tuple(
                    Field(name, Type.STRING, self.names.value(level, alone=len(levels) == 1))
                    for (_, name), level in zip(route.levels, levels, strict=True)
                    if name
                )
                return Taken(route.event, values, index)
        if is_servers(topic, self.names.syntax):
            return None
        subject = self.names.subject(topic)
        if subject in self.events:
            raise MappingError(f"topic {topic[:80]!r} follows no route of {subject[:80]!r}")
        return Taken(subject, (), None)

    def route_at(self, topic: str) -> int | None:
        """Return the index of the route that a topic follows; None where it follows none."""
        levels = topic.split(self._separator)
        return next((at for at, route in enumerate(self.routes) if _fits(route, levels)), None)

    def place(self, subject: str, parameters: tuple[Field, ...]) -> Placed:
        """Return where an event is published: by the first route that it fits.

        Raises:
            MappingError: It fits no route of its subject, or would come back as another event.
        """
        candidates = [at for at, route in enumerate(self.routes) if route.event == subject]
        values = {field.id: field.value for field in parameters if field.type is Type.STRING}
        for at in candidates:
            route = self.routes[at]
            if all(name in values for name in route.names):
                topic = self._topic(route, values)
                left = tuple(field for field in parameters if field.id not in route.names)
                return self._checked(Placed(topic, left, at))
        if candidates:
            names = " or ".join(str(list(self.routes[at].names)) for at in candidates)
            raise MappingError(f"subject {subject[:80]!r} needs the text parameters {names}")
        return self._checked(Placed(self.names.topic(subject), parameters, None))

    def _topic(self, route: Route, values: dict[str, str]) -> str:
        alone = len(route.levels) == 1
        return self._separator.join(
            self.names.level(values[name], alone=alone) if name else text
            for text, name in route.levels
        )

    def _checked(self, placed: Placed) -> Placed:
        if len(placed.topic.encode()) > TOPIC_BYTES:
            size = len(placed.topic.encode())
            raise MappingError(f"topic of {size} bytes exceeds the limit of {TOPIC_BYTES} bytes")
        back = self.take(placed.topic)
        if back is None:
            raise MappingError(f"topic {placed.topic[:80]!r} belongs to the server")
        if back.route != placed.route:
            raise MappingError(f"topic {placed.topic[:80]!r} would come back as {back.subject!r}")
        return placed


def _fits(route: Route, levels: list[str]) -> bool:
    return len(levels) == len(route.levels) and all(
        name or text == level for (text, name), level in zip(route.levels, levels, strict=True)
    )

"""Settings of an MQTT event service in `federation.yaml`."""

from dataclasses import replace
from typing import Annotated, Literal

from fes.adapter.plain.settings import Name, PlainRoute, PlainSettings
from fes.mapping.topics.levels import MQTT, TopicNames
from fes.payload import bindings
from msgspec import Meta


class Route(PlainRoute, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Topics of one kind of event, whose levels are parameters.

    Attributes:
        topic: Literal levels, or `{name}` for a parameter of type string.
        retain: Whether the broker keeps the last event that is published.
    """

    topic: Name
    retain: bool = False


class Settings(PlainSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        routes: Topics whose levels are parameters; any other topic is the subject of its event.
        separator: Separator of the levels of subjects in the federation. With `.`, `/` and `.` are
            exchanged, so that subjects of NATS keep their form.
        escape: Further characters that the broker does not accept in a topic, e.g. a space.
        max_bytes: Largest payload that the broker accepts, which MQTT 3.1.1 does not report.
        protocol: Version of MQTT. `5` has room for stamps and attributes, and the broker does not
            send back what the adapter publishes; `3.1.1` is for brokers without `5`.
        stamped: With `5`: whether messages without a stamp are left to another gateway's adapter.
        share: With `5`: name of a group of clients among which the broker divides the messages; ""
            where the adapter gets them all.
        rebirth: With payload `sparkplug`: whether nodes are requested to repeat their births where
            something is missing.
        own_s: With `3.1.1`: how long a publication of the adapter's own is known again; seconds.
    """

    routes: tuple[Route, ...] = ()
    separator: Literal["/", "."] = "/"
    escape: Annotated[str, Meta(max_length=16, pattern=r"^[ !-$&-.:-@\[-`{-}~]*$")] = ""
    max_bytes: Annotated[int, Meta(ge=1024, le=268_435_455)] = 1_000_000
    protocol: Literal["3.1.1", "5"] = "3.1.1"
    stamped: bool = False
    share: Annotated[str, Meta(max_length=128, pattern=r"^[^/+#$\u0000]*$")] = ""
    rebirth: bool = True
    own_s: Annotated[float, Meta(ge=1, le=3600)] = 30.0

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        super().__post_init__()
        payloads = [self.payload, *(text.payload for text in self.texts())]
        if self.protocol == "5":
            return
        if self.stamped or self.share:
            raise ValueError("stamped and share need protocol '5'")
        if "cloudevents-binary" in payloads:
            raise ValueError("cloudevents-binary needs headers, which MQTT 3.1.1 has not")

    def topics(self) -> tuple[tuple[str, PlainRoute], ...]:
        """Return the routes, each with its topic."""
        return tuple((each.topic, each) for each in self.routes)

    def binding(self) -> bindings.Binding | None:
        """Return how user properties have CloudEvents; 3.1.1 has no properties."""
        return bindings.MQTT if self.protocol == "5" else None

    def requests_rebirth(self) -> bool:
        """Return whether Sparkplug nodes are requested to repeat their births."""
        return self.rebirth

    def names(self) -> TopicNames:
        """Return the conversion between subjects and topics."""
        syntax = replace(MQTT, illegal="".join({*MQTT.illegal, *self.escape}))
        return TopicNames(syntax, self.separator)

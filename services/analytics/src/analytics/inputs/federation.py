"""What the judge reads from `federation.yaml`: who is where, and what is asked statically."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analytics.area import Area, parse_area
from analytics.inputs.distribution import names
from analytics.inputs.document import Document
from analytics.inputs.static_filters import readable

MONITOR_PREFIX = "steam-m-"
"""A monitor's event service on the air is named by this and the monitor."""


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A vehicle's gateway and the two event services that it joins.

    Attributes:
        key: What the services are named after; the vehicle's licence or its name in the trace.
        range_m: Radio range, metres.
        area: Where its events may be received; None is everywhere.
        filters: Filters of the static subscriptions that bring its events on the air.
    """

    key: str
    gateway: str
    bus: str
    air: str
    range_m: float
    area: Area | None
    filters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Monitor:
    """A monitor's place and the gateway that joins it to the city.

    Attributes:
        lat: Degrees WGS 84.
        lon: Degrees WGS 84.
        range_m: Radio range, metres.
        city: The city's event service.
    """

    name: str
    service: str
    gateway: str
    city: str
    lat: float
    lon: float
    range_m: float


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter; its role is `bus`, `sender`, `receiver`, `city` or `other`."""

    name: str
    gateway: str
    service: str
    role: str


@dataclass(frozen=True, slots=True)
class Federation:
    """A federation as it was run.

    Attributes:
        brokers: Brokers and clusters behind each event service.
        applications: Names of the native applications.
        sample: Share of the events that the event log contains, 0 .. 1.
        hello_s: How often a gateway states that it is there, seconds.
        scoped: Whether it has scopes.
    """

    vehicles: tuple[Vehicle, ...]
    monitors: tuple[Monitor, ...]
    adapters: tuple[Adapter, ...]
    brokers: dict[str, frozenset[str]]
    applications: frozenset[str]
    sample: float
    hello_s: float = 1.0
    scoped: bool = False

    @property
    def gateways(self) -> tuple[str, ...]:
        """Names of the gateways, sorted."""
        return tuple(sorted({adapter.gateway for adapter in self.adapters}))


def load_federation(path: Path) -> Federation:
    """Read a resolved `federation.yaml`.

    Raises:
        CannotJudgeError: The file cannot be read, or the judge cannot understand it.
    """
    document = Document(path)
    if document.value.get("version") != 1:
        raise document.error("version is not 1", "version")
    adapters = _adapters(document)
    return Federation(
        vehicles=tuple(_vehicles(document, adapters)),
        monitors=tuple(_monitors(document, adapters)),
        adapters=tuple(adapters),
        brokers=_brokers(document),
        applications=frozenset(document.section("applications")),
        sample=_sample(document),
        hello_s=_hello_s(document),
        scoped=bool(document.section("scopes")),
    )


def _sample(document: Document) -> float:
    given = "sample" in document.section("event_log")
    return document.number("event_log", "sample") if given else 1.0


def _hello_s(document: Document) -> float:
    given = "hello_s" in document.section("limits")
    return document.number("limits", "hello_s") if given else 1.0


def _adapters(document: Document) -> list[Adapter]:
    found = []
    for gateway in document.section("gateways"):
        for service in document.section("gateways", gateway, "adapters"):
            role = _role(document, gateway, service)
            found.append(Adapter(f"{gateway}.{service}", gateway, service, role))
    return found


def _role(document: Document, gateway: str, service: str) -> str:
    kind = document.section("event_services", service).get("kind")
    if kind is None:
        raise document.error(
            f"{service} is no event service with a kind", "gateways", gateway, "adapters", service
        )
    if kind == "steam":
        return "receiver" if service.startswith(MONITOR_PREFIX) else "sender"
    return {"cns": "bus", "cosmic": "bus", "siena": "city"}.get(kind, "other")


def _joined(adapters: list[Adapter], first: str, second: str) -> list[tuple[Adapter, Adapter]]:
    return [
        (one, other)
        for one in adapters
        for other in adapters
        if (one.role, other.role) == (first, second) and one.gateway == other.gateway
    ]


def _vehicles(document: Document, adapters: list[Adapter]) -> list[Vehicle]:
    return [
        Vehicle(
            key=_key(document, bus.service, air.service),
            gateway=bus.gateway,
            bus=bus.service,
            air=air.service,
            range_m=document.number("event_services", air.service, "settings", "range_m"),
            area=_area(document, air),
            filters=_filters(document, bus, air),
        )
        for bus, air in _joined(adapters, "bus", "sender")
    ]


def _key(document: Document, bus: str, air: str) -> str:
    location = document.section("event_services", air, "settings", "location")
    prefix = "steam-v-"
    named = air[len(prefix) :] if air.startswith(prefix) else bus
    return str(named or location.get("vehicle", ""))


def _area(document: Document, air: Adapter) -> Area | None:
    settings = document.section("gateways", air.gateway, "adapters", air.service)
    for name in settings.get("mappings") or []:
        for index, rule in enumerate(document.entries("mappings", str(name))):
            text = _constant(rule)
            if text is None:
                continue
            try:
                return parse_area(text)
            except ValueError as error:
                raise document.error(
                    f"Proximity {error}", "mappings", name, index, "attributes", "Proximity"
                ) from error
    return None


def _constant(rule: dict[str, Any]) -> str | None:
    proximity = (rule.get("attributes") or {}).get("Proximity")
    if rule.get("subject") != "Speed" or not isinstance(proximity, dict):
        return None
    constant = proximity.get("constant")
    return None if constant is None else str(constant)


def _filters(document: Document, bus: Adapter, air: Adapter) -> tuple[str, ...]:
    found = []
    for index, request in enumerate(document.entries("requests")):
        wanted = request.get("type") == "subscription" and request.get("source") == air.service
        if not wanted or not names(str(request.get("dist_list", "")), bus.service):
            continue
        text = _within(str(request.get("filter", "")), _plausible(document, bus))
        if not readable(text):
            raise document.error("filter is beyond the judge", "requests", index, "filter")
        found.append(text)
    return tuple(found)


def _plausible(document: Document, bus: Adapter) -> str:
    """Return what the rules of a bus say of plausible rates, as the end of a filter."""
    settings = document.section("gateways", bus.gateway, "adapters", bus.service)
    for name in settings.get("mappings") or []:
        for rule in document.entries("mappings", str(name)):
            rate = (rule.get("parameters") or {}).get("rate")
            given = rate.get("range") if isinstance(rate, dict) else None
            if rule.get("subject") == "Speed" and isinstance(given, dict):
                ends = ((">=", given.get("min")), ("<=", given.get("max")))
                return "".join(f" AND rate {op} {end}" for op, end in ends if end is not None)
    return ""


def _within(text: str, plausible: str) -> str:
    word = text.strip()
    return (f"subject = '{word}'" if plausible and word.isidentifier() else text) + plausible


def _monitors(document: Document, adapters: list[Adapter]) -> list[Monitor]:
    found = []
    for air, city in _joined(adapters, "receiver", "city"):
        place = ("event_services", air.service, "settings")
        found.append(
            Monitor(
                name=air.service.removeprefix(MONITOR_PREFIX),
                service=air.service,
                gateway=air.gateway,
                city=city.service,
                lat=document.number(*place, "location", "lat"),
                lon=document.number(*place, "location", "lon"),
                range_m=document.number(*place, "range_m"),
            )
        )
    return found


def _brokers(document: Document) -> dict[str, frozenset[str]]:
    behind = {}
    for service in document.section("event_services"):
        used = document.section("event_services", service).get("brokers") or []
        clusters = [document.section("brokers", name).get("cluster") for name in used]
        behind[service] = frozenset([*used, *filter(None, clusters)])
    return behind

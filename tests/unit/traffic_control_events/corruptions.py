"""What may be wrong with a run, and whose fault of which kind it is."""

from collections.abc import Callable

from traffic_control_events.story import HEARD, PLACES, SAID, SCRIPT, SEEN_AIR, SEEN_BUS, SEEN_CITY
from unit.traffic_control_events.good import Good, Line, crossing, offers, surfacing

Corrupt = Callable[[Good], None]
Make = Callable[[Good], Line]
Meant = Callable[[Good, Line], bool]


def first(good: Good) -> Line:
    """Return the first event; it is out of range, and too fast."""
    return good.lines(SAID)[0]


def brake(good: Good) -> Line:
    """Return the first event that nobody asked for."""
    return next(line for line in good.lines(SAID) if line["subject"] == "Brake")


def slow(good: Good) -> Line:
    """Return the first event in range that is not too fast."""
    heard = {line["stamp"]["id"] for line in good.lines(SEEN_CITY) if "stamp" in line}
    said = [line for line in good.lines(SAID) if line["id"] in heard]
    return next(line for line in said if line["rate"] <= 40)


def fast(good: Good) -> Line:
    """Return the first event that was reported."""
    reported = good.lines(HEARD)[0]["stamp"]["id"]
    return next(line for line in good.lines(SAID) if line["id"] == reported)


def native(event: Line) -> Line:
    """Return how the air would tell of an event without a control event."""
    told = {"license_no": event["license_no"], "rate": event["rate"]}
    about = {"seen": "event", "node": "g1.steam-v", "id": event["id"], "subject": "Speed"}
    return {**about, "time_us": event["time_us"], "parameters": told}


def added(name: str, make: Make) -> Corrupt:
    """Return what adds a line to a file."""
    return lambda good: good.write(name, [*good.lines(name), make(good)])


def lost(name: str, is_meant: Meant = lambda *_: True) -> Corrupt:
    """Return what takes the first line that is meant out of a file."""

    def corrupt(good: Good) -> None:
        lines = good.lines(name)
        lines.remove(next(line for line in lines if is_meant(good, line)))
        good.write(name, lines)

    return corrupt


def changed(name: str, make: Make, is_meant: Meant) -> Corrupt:
    """Return what puts a line in the place of the first one that is meant."""

    def corrupt(good: Good) -> None:
        lines = good.lines(name)
        at = next(number for number, line in enumerate(lines) if is_meant(good, line))
        lines[at] = make(good)
        good.write(name, lines)

    return corrupt


def tells_of(which: Make) -> Meant:
    """Return what tells whether a line is of an event, on the air or in the city."""

    def is_meant(good: Good, line: Line) -> bool:
        identity = which(good)["id"]
        return identity in str(line) or f"{identity.replace('/', ';')};" in str(line)

    return is_meant


def suppressed(more: int) -> Corrupt:
    """Return what changes how many second copies were suppressed."""

    def corrupt(good: Good) -> None:
        *lines, last = good.lines(SEEN_CITY)
        good.write(SEEN_CITY, [*lines, last | {"count": last["count"] + more}])

    return corrupt


def no_brake_planned(good: Good) -> None:
    """Take a brake out of what was to be said."""
    script = good.folder / SCRIPT
    rows = script.read_text().splitlines()
    rows.remove(next(row for row in rows if "Brake" in row))
    script.write_text("\n".join(rows) + "\n")


def ranges(good: Good, range_m: float) -> None:
    """Have the monitors hear as far as that."""
    places = good.folder / PLACES
    places.write_text(places.read_text().replace("180.0", str(range_m)))


def wants(seen: str, party: str) -> Line:
    """Return how a service tells that somebody subscribes to speeds."""
    if seen == "join":
        return {"seen": "join", "node": party, "subject": "Speed"}
    return {"type": "subscription", "party": party, "filter": 'filter{ FES_Subject ="Speed"}'}


CORRUPTIONS: dict[str, tuple[Corrupt, tuple[str, str]]] = {
    "a report is lost": (lost(HEARD), ("siena-sub", "missing")),
    "a report comes twice": (
        added(HEARD, lambda good: surfacing(fast(good))),
        ("siena-sub", "doubled"),
    ),
    "a slow one is reported": (
        added(HEARD, lambda good: surfacing(slow(good))),
        ("siena-sub", "unexpected"),
    ),
    "one out of range is reported": (
        added(HEARD, lambda good: surfacing(first(good))),
        ("siena-sub", "unexpected"),
    ),
    "one that nobody said is reported": (
        added(HEARD, lambda good: surfacing(first(good) | {"id": "cns-pub/7/9999"})),
        ("siena-sub", "unexpected"),
    ),
    "a report tells another speed": (
        changed(HEARD, lambda good: surfacing(fast(good), rate=99.5), tells_of(fast)),
        ("siena-sub", "altered"),
    ),
    "a report came by another way": (
        changed(HEARD, lambda good: surfacing(fast(good), via=[]), tells_of(fast)),
        ("siena-sub", "astray"),
    ),
    "one in range does not surface": (lost(SEEN_CITY, tells_of(slow)), ("city", "missing")),
    "one out of range surfaces": (
        added(SEEN_CITY, lambda good: surfacing(first(good))),
        ("city", "unexpected"),
    ),
    "a brake surfaces": (
        added(SEEN_CITY, lambda good: surfacing(brake(good))),
        ("city", "unexpected"),
    ),
    "one surfaces twice": (
        added(SEEN_CITY, lambda good: surfacing(slow(good))),
        ("city", "doubled"),
    ),
    "another licence surfaces": (
        changed(SEEN_CITY, lambda good: surfacing(slow(good), license_no="X"), tells_of(slow)),
        ("city", "altered"),
    ),
    "one surfaces that did not cross the air": (
        changed(SEEN_CITY, lambda good: surfacing(slow(good), via=["cns-v"]), tells_of(slow)),
        ("city", "astray"),
    ),
    "a control event is lost on the air": (lost(SEEN_AIR, tells_of(first)), ("air", "missing")),
    "a control event is on the air twice": (
        added(SEEN_AIR, lambda good: crossing(first(good))),
        ("air", "doubled"),
    ),
    "a speed is natively on the air": (
        added(SEEN_AIR, lambda good: native(first(good))),
        ("air", "unexpected"),
    ),
    "a brake crosses the air": (
        added(SEEN_AIR, lambda good: crossing(brake(good))),
        ("air", "unexpected"),
    ),
    "a control event is somebody else's": (
        changed(SEEN_AIR, lambda good: crossing(first(good), node="g2.steam-m1"), tells_of(first)),
        ("air", "astray"),
    ),
    "a control event is meant for elsewhere": (
        changed(SEEN_AIR, lambda good: crossing(first(good), dist_list="x"), tells_of(first)),
        ("air", "astray"),
    ),
    "a control event tells another speed": (
        changed(SEEN_AIR, lambda good: crossing(first(good), rate=1.5), tells_of(first)),
        ("air", "altered"),
    ),
    "a brake is not said": (lost(SAID, tells_of(brake)), ("cns-pub", "missing")),
    "a brake is said that was not to be": (no_brake_planned, ("cns-pub", "unexpected")),
    "the second monitor is silent": (suppressed(-1), ("repeated", "missing")),
    "a monitor says one twice": (suppressed(+1), ("repeated", "unexpected")),
    "speeds are asked for on the air": (
        added(SEEN_AIR, lambda _: wants("join", "g2.steam-m1")),
        ("witness", "unexpected"),
    ),
    "a gateway asks the city": (
        added(SEEN_CITY, lambda _: wants("subscription", "g2.siena-m")),
        ("witness", "unexpected"),
    ),
    "a gateway does not announce": (
        lost(SEEN_CITY, lambda _, line: line == offers("g3.siena-m")),
        ("witness", "missing"),
    ),
    "the bus is not asked": (
        lost(SEEN_BUS, lambda _, line: line["seen"] == "member"),
        ("witness", "missing"),
    ),
}

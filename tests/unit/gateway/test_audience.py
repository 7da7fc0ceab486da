"""What the scope manager knows of subscriptions, and what that costs."""

from collections.abc import Iterator

import pytest
from fes.control import RequestType
from fes.filter import Filter
from fes.gateway.requests.row import Row
from fes.gateway.scopes import audience as audience_module
from fes.gateway.scopes.audience import Requests
from fes.model import Event, Stamp

SPEED = Event.of("Speed", rate=40.0)


def row_of(source: str, least: int) -> Row:
    text = f"rate > {least}"
    return Row(
        kind=RequestType.SUBSCRIPTION,
        source=source,
        requester="client",
        what=text,
        pattern="north",
        withdrawn=False,
        version=1,
        since_us=1,
        expires_us=0,
        filter=text,
        body=b"",
        request=Stamp("client", 1, 1, 1, source),
    )


class Rows(tuple[Row, ...]):  # noqa: SLOT001 - it counts in an attribute
    """Counts how often it is read."""

    reads = 0

    def __iter__(self) -> Iterator[Row]:
        """Iterate over the rows."""
        self.reads += 1
        return super().__iter__()


class Parsed:
    """Counts the filters that are parsed."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def of(self, text: str) -> Filter:
        """Return the filter of a text."""
        self.texts.append(text)
        return Filter.of(text)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Parsed:
    counting = Parsed()
    monkeypatch.setattr(audience_module, "Filter", counting)
    return counting


def test_requests_are_read_again_only_where_they_changed_and_new_filters_alone_are_parsed(
    parsed: Parsed,
) -> None:
    north = Rows((row_of("south", 30), row_of("west", 50)))
    of: dict[str, tuple[Row, ...]] = {"north": north, "east": (row_of("west", 30),)}
    requests = Requests(of.__getitem__)
    for _ in range(3):
        for publisher, expected in (("north", ["south"]), ("east", ["west"])):
            requests.listen_to(publisher)
            assert list(requests.matching(SPEED)) == expected
    assert parsed.texts == ["rate > 30", "rate > 50", "rate > 30"]
    assert north.reads == 1

    of["north"] = (*north, row_of("west", 39))
    requests.listen_to("north")
    assert list(requests.matching(SPEED)) == ["south", "west"]
    assert parsed.texts[3:] == ["rate > 39"]
    of["north"] = of["north"][1:2]
    requests.listen_to("north")
    assert [requests.is_present(name) for name in ("south", "west")] == [False, True]
    assert not list(requests.matching(SPEED))


def test_a_list_replaces_the_subscriptions_for_its_event_only() -> None:
    requests = Requests(lambda _: (row_of("south", 30),))
    requests.listen_to("north", ("west",))
    assert list(requests.matching(SPEED)) == ["west"]
    assert not requests.is_present("south")
    requests.listen_to("north")
    assert list(requests.matching(SPEED)) == ["south"]

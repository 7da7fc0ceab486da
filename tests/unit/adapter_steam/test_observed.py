"""Beacons of native nodes as what they declare."""

import pytest
from adapter_steam.observed import LABEL, observed, present, wanted
from eventservices.steam import Position, Sighting, Term, around
from eventservices.steam.beacon import Announcement, Membership, Sender
from eventservices.steam.content import ContentFilter
from fes.filter import canonical, compile_filter, parse
from fes.filter.algebra.normal import normalise
from fes.filter.language.text import to_text
from fes.mapping import Native
from fes.model import Event, Field, Type

HERE = Position(50.0, 11.0)


def join(*terms: Term, label: str = "", number: int = 1, node: str = "car") -> Membership:
    sender = Sender(node, label, 300.0)
    return Membership(sender, "Speed", HERE, 17, 1.0, True, number, terms)


def announcement(label: str = "") -> Announcement:
    return Announcement(Sender("car", label, 300.0), "Speed", HERE, 17, 1.0, True, around(300.0))


@pytest.mark.parametrize(
    ("terms", "text"),
    [
        ((), "subject = 'Speed'"),
        ((Term("rate", ">", 70.0),), "subject = 'Speed' AND rate > 70.0"),
        ((Term("rate", "range", 1, 9),), "subject = 'Speed' AND rate BETWEEN 1 AND 9"),
        ((Term("braking", "=", True),), "subject = 'Speed' AND braking = TRUE"),
        ((Term("raw", "=", b"x"),), "subject = 'Speed' AND EXISTS raw"),
        ((Term("a b", "=", "it's"),), "subject = 'Speed' AND \"a b\" = 'it''s'"),
        ((Term("rate", "=", float("nan")),), "FALSE"),
    ],
)
def test_a_subscription_says_the_same_in_the_filter_language(
    terms: tuple[Term, ...], text: str
) -> None:
    assert canonical(normalise(wanted("Speed", terms))) == canonical(parse(text))


@pytest.mark.parametrize("value", [0, 70, 70.5, "x", "", True, float("nan"), b"x", 2**40])
@pytest.mark.parametrize("operator", ["=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("operand", [70, 70.0, "x", float("inf"), float("-inf")])
def test_whatever_a_native_node_would_accept_is_wanted(
    value: object, operator: str, operand: object
) -> None:
    terms = (Term("rate", operator, operand),)  # type: ignore[arg-type] # one of the operators
    event = Event.of("Speed", rate=value)
    accepts = ContentFilter(terms).accepts({"rate": value})  # type: ignore[dict-item] # a value
    asked = compile_filter(parse(to_text(wanted("Speed", terms))))
    assert asked(event) is True or not accepts


def test_an_announcement_is_of_an_event_with_its_proximity() -> None:
    seen = present(announcement())
    assert seen is not None
    area = Field("Proximity", Type.STRING, "0,1,0.0,0.0,300.0")
    assert seen.announces == (Native("Speed", (), (area,)),)


@pytest.mark.parametrize("beacon", [join(label=LABEL), announcement(LABEL)])
def test_what_an_adapter_made_is_nobodys(beacon: Membership | Announcement) -> None:
    assert present(beacon) is None


def test_each_declaration_has_a_name_that_its_end_bears_too() -> None:
    beacons: list[Membership | Announcement] = [join(), join(number=2), join(node="van")]
    beacons.append(announcement())
    names = [seen.by for seen in map(present, beacons) if seen]
    assert len(set(names)) == len(beacons)
    end = observed(Sighting("leave", beacons[0]))
    assert end is not None
    assert (end.by, end.withdrawn) == (names[0], True)

"""Names between MQTT, NATS and Kafka, each pair: one name on either side, and back."""

import re
from collections.abc import Callable
from itertools import permutations
from typing import NamedTuple

import pytest
from fes.errors import MappingError
from fes.mapping.topics import kafka
from fes.mapping.topics.levels import KAFKA, MQTT, NATS, TopicNames, is_servers, matches
from fes.mapping.topics.routes import Routes, route_of
from fes.model import Event, Type
from hypothesis import assume, example, given
from hypothesis import strategies as st


class System(NamedTuple):
    """A system, as its adapter names things there.

    Attributes:
        names: Of the adapter.
        write: A topic of levels in the alphabet of the system.
        read: The inverse.
        legal: Which names the system has, by its own documentation.
    """

    names: TopicNames
    write: Callable[[str], str]
    read: Callable[[str], str]
    legal: Callable[[str], bool]


def same(topic: str) -> str:
    return topic


def legal_mqtt(name: str) -> bool:
    return bool(name) and not re.search("[+#\x00-\x1f\x7f]", name)


def legal_nats(name: str) -> bool:
    return all(name.split(".")) and not re.search(r"[ *>\x00-\x1f\x7f]", name)


def legal_kafka(name: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z0-9._-]{1,249}", name)) and name not in (".", "..")


SYSTEMS = {
    "mqtt": System(TopicNames(MQTT), same, same, legal_mqtt),
    "mqtt, dots": System(TopicNames(MQTT, "."), same, same, legal_mqtt),
    "nats": System(TopicNames(NATS), same, same, legal_nats),
    "nats, slashes": System(TopicNames(NATS, "/"), same, same, legal_nats),
    "kafka": System(TopicNames(KAFKA), kafka.write, kafka.read, legal_kafka),
    "kafka, slashes": System(TopicNames(KAFKA, "/"), kafka.write, kafka.read, legal_kafka),
}
PAIRS = pytest.mark.parametrize(("here", "there"), list(permutations(SYSTEMS, 2)))
EACH = pytest.mark.parametrize("name", SYSTEMS)
AWKWARD = "%~./ *>+#$_x2AEF0-ü😀"
TEXTS = st.text(st.sampled_from(AWKWARD), min_size=1, max_size=10) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6
)
PARTS = {
    "mqtt": TEXTS.map(lambda text: re.sub("[+#/\x00-\x1f\x7f]", "x", text)),
    "nats": TEXTS.map(lambda text: re.sub(r"[ *>.\x00-\x1f\x7f]", "%", text)),
    "kafka": st.text(st.sampled_from("_-x02AEFaz"), min_size=1, max_size=8),
}
SEPARATOR = {"mqtt": "/", "nats": ".", "kafka": "."}
LEGAL = {
    kind: st.lists(parts, min_size=1, max_size=3).map(SEPARATOR[kind].join)
    for kind, parts in PARTS.items()
}


def subject_of(system: System, name: str) -> str:
    return system.names.subject(system.read(name))


def name_of(system: System, subject: str) -> str:
    return system.write(system.names.topic(subject))


@PAIRS
@given(data=st.data())
def test_every_legal_name_has_one_on_every_other_system_and_comes_back(
    here: str, there: str, data: st.DataObject
) -> None:
    """The name of the one leads to a legal name of the other, and that back to the first."""
    one, other = SYSTEMS[here], SYSTEMS[there]
    name = data.draw(LEGAL[here.partition(",")[0]])
    assume(one.legal(name))
    subject = subject_of(one, name)
    assert name_of(one, subject) == name
    try:
        crossed = name_of(other, subject)
    except MappingError:
        assert there.startswith("kafka")  # which alone has a limit, and refuses `.` and `..`
        return
    assert other.legal(crossed)
    assert subject_of(other, crossed) == subject
    assert name_of(one, subject_of(other, crossed)) == name


@EACH
@given(one=TEXTS, other=TEXTS)
@example(one="a.b", other="a%2Eb")
@example(one="a b", other="a%20b")
@example(one="a_x20-b", other="a b")
@example(one="_x00%", other="_x00_x25-")
@example(one="~", other="")
def test_two_subjects_never_have_one_name(name: str, one: str, other: str) -> None:
    assume(one != other)
    system = SYSTEMS[name]
    try:
        assert name_of(system, one) != name_of(system, other)
    except MappingError:
        assert name.startswith("kafka")


@EACH
@given(subject=TEXTS, other=TEXTS)
@example(subject="*", other="a")
@example(subject=">", other="a.b")
@example(subject="#", other="a/b")
@example(subject="+", other="a")
def test_a_name_subscribed_to_brings_nothing_but_itself(
    name: str, subject: str, other: str
) -> None:
    """No name becomes a wildcard or, in Kafka, a regular expression."""
    system = SYSTEMS[name]
    assume(subject != other)
    one, another = system.names.topic(subject), system.names.topic(other)
    assert not matches(one, another, system.names.syntax)
    assert matches(one, one, system.names.syntax)
    if name.startswith("kafka"):
        try:
            assert kafka.subscription(one) == kafka.write(one)
        except MappingError:
            return
        assert not kafka.subscription(one).startswith("^")


@PAIRS
@given(room=TEXTS, quantity=TEXTS | st.just(""))
@example(room="a/b", quantity="c.d")
@example(room="*", quantity="#")
@example(room="{room}", quantity="~")
@example(room="_x00>", quantity="_x20-_x2F_x20_")
def test_levels_of_a_route_are_the_same_values_on_every_system(
    here: str, there: str, room: str, quantity: str
) -> None:
    """An event goes from a route here to one there and back, whatever its levels contain."""
    fields = Event.of("x", {"room": room, "quantity": quantity, "c": 1}).parameters
    assert [field.type for field in fields[:2]] == [Type.STRING] * 2
    for name in (here, there, here):
        system = SYSTEMS[name]
        routes = routes_of(system)
        placed = routes.place("Reading", fields)
        try:
            native = system.write(placed.topic)
        except MappingError:
            assert name.startswith("kafka")
            return
        assert system.legal(native)
        taken = routes.take(system.read(native))
        assert taken is not None
        assert taken.subject == "Reading"
        assert taken.levels == fields[:2]
        assert [field.id for field in placed.parameters] == ["c"]
        fields = (*taken.levels, *placed.parameters)


@PAIRS
@given(data=st.data())
def test_a_name_that_follows_a_route_comes_back_as_itself(
    here: str, there: str, data: st.DataObject
) -> None:
    one, other = SYSTEMS[here], SYSTEMS[there]
    kind = here.partition(",")[0]
    name = SEPARATOR[kind].join(("sensors", data.draw(PARTS[kind]), data.draw(PARTS[kind])))
    taken = routes_of(one).take(one.read(name))
    assume(taken is not None and taken.route == 0)
    assert taken is not None
    try:
        crossed = other.write(routes_of(other).place(taken.subject, taken.levels).topic)
    except MappingError:
        assert there.startswith("kafka")
        return
    back = routes_of(other).take(other.read(crossed))
    assert back is not None
    assert back.levels == taken.levels
    assert one.write(routes_of(one).place(back.subject, back.levels).topic) == name


def routes_of(system: System) -> Routes:
    pattern = system.names.syntax.separator.join(("sensors", "{room}", "{quantity}"))
    return Routes([route_of(pattern, "Reading", system.names)], system.names)


@EACH
@given(subject=TEXTS)
def test_nothing_is_published_to_what_belongs_to_a_server(name: str, subject: str) -> None:
    system = SYSTEMS[name]
    routes = Routes((), system.names)
    for each in (subject, f"$SYS.{subject}", f"$SYS/{subject}"):
        try:
            placed = routes.place(each, ())
        except MappingError:
            continue
        assert not is_servers(placed.topic, system.names.syntax)

"""The law of translation at every event service: what the filter accepts passes natively."""

from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

from adapter_cns.constraints import ConstraintMapping
from adapter_cns.mapping import Forms
from adapter_cns.settings import Settings as CnsSettings
from adapter_siena.codec import Codec
from adapter_siena.mapping import FilterMapping
from adapter_siena.names import Names
from adapter_steam.codec import to_native as from_steam
from adapter_steam.mapping import plan
from eventservices.cns import (
    ANY_TYPE,
    AnyEvent,
    LongLong,
    StructuredEvent,
    can_frame_any,
    structured_event,
)
from eventservices.cns.etcl import Filter as EtclFilter
from eventservices.cns.event_type import TypeFilter
from eventservices.siena import Notification
from eventservices.siena import compile_filter as compile_siena
from eventservices.stamp import Stamp
from eventservices.steam.content import ContentFilter
from eventservices.steam.event import Notification as SteamNotification
from eventservices.steam.geometry import Position
from eventservices.steam.proximity import around
from fes.errors import AdapterError, FesError
from fes.filter import Filter, canonical, compile_filter
from fes.filter.language.text import to_text
from fes.filter.language.tree import RELATIONS, And, Comparison, Constant, Parameter, Subject
from fes.mapping import Mapping, Native, load_rules
from fes.mapping.inversion.subjects import wanted
from fes.mapping.topics.levels import MQTT, NATS, TopicNames, matches
from fes.mapping.topics.patterns import mqtt_topics, nats_subjects
from fes.mapping.topics.routes import Routes, route_of
from fes.mapping.topics.sources import topics_of
from fes.model import Event, Field, Type
from support.filters.chance import ATTRIBUTES, NAMES, SUBJECTS, Chance

RULES: list[list[dict[str, Any]]] = [
    [],
    [
        {
            "native": {"subject": "Raw"},
            "subject": "ab",
            "parameters": {"a": {"from": "raw a", "scale": 2, "offset": 1}, "b": {"from": "c"}},
            "direction": "in",
        },
        {"subject": "a", "parameters": {"a": {"scale": 2, "offset": 1}}},
        {"subject": "abc", "parameters": {"a": {"constant": 1}, "c": {"from": "b"}}},
    ],
    [
        {
            "native": {"can_id": 12345, "extended": True},
            "subject": "ab",
            "parameters": {"a": {"bytes": [7, 7], "type": "double"}},
        },
        {
            "native": {"subject": "Raw"},
            "subject": "été",
            "parameters": {"b": {"scale": -0.5, "type": "double"}},
            "attributes": {"P": {"from": "c"}},
            "rest": "drop",
            "direction": "in",
        },
    ],
]
SMALL = (0, 1, 2, -3, 0.1, 2.5, 100, 2**53 + 1)
NATIVE_NAMES = (*NAMES, "raw a")


@cache
def mapping_of(number: int) -> Mapping:
    return Mapping(load_rules(RULES[number], Path()))


def cns(chance: Chance) -> None:
    """A channel's filter object lets pass what a filter accepts."""
    settings = CnsSettings(
        subject=chance.choice(("type_name", "event_name")), any_subject=chance.choice(("", "abc"))
    )
    mapping = _mapping(chance)
    filter_, forms = _filter(chance), Forms(settings, mapping)
    found = ConstraintMapping(settings, mapping).translate(filter_)
    native = EtclFilter()
    expressions = found.expressions
    if expressions:
        native.add_constraints(expressions)
    types = TypeFilter(frozenset(), found.types | ({ANY_TYPE} if found.anys else set()), both=True)
    for _ in range(6):
        event, fes = _cns_event(chance, forms)
        if _accepts(filter_, mapping, fes):
            told = (to_text(filter_.tree), expressions, event)
            assert expressions, told
            assert native.matches(event), told
            assert types.accepts(event.event_type), told


def siena(chance: Chance) -> None:
    """One of the native filters matches what a filter accepts."""
    mapping, names = _mapping(chance), Names({})
    other = chance.choice(("", "a"))
    codec, filter_ = Codec(names, other), _filter(chance)
    filters, _ = FilterMapping(mapping, names, other).translate(filter_.tree)
    tests = [compile_siena(each) for each in filters]
    assert len(tests) <= 16
    for _ in range(6):
        values = {_siena_name(names, name): _plain(chance, name) for name in _some(chance)}
        subject = {} if chance.random() < 0.1 else {"FES_Subject": chance.subject()}
        notification = Notification(values | subject)
        native = _made(partial(codec.to_native, notification))
        if _accepts(filter_, mapping, native):
            told = (to_text(filter_.tree), [str(each) for each in filters], values)
            assert any(test(notification.attributes) for test in tests), told


def steam(chance: Chance) -> None:
    """One of the subscriptions' content filters accepts what a filter does."""
    mapping, filter_ = _mapping(chance), _filter(chance, subject=True)
    try:
        wanted_ = plan(filter_, mapping).wanted
    except AdapterError:
        return
    filters = [(each.subject, ContentFilter(each.terms)) for each in wanted_]
    for _ in range(6):
        heard = SteamNotification(
            stamp=Stamp("o", 1, 1, 1, "h"),
            node="n",
            position=Position(0.0, 0.0),
            range_m=1.0,
            proximity=around(300.0),
            subject=chance.subject(),
            parameters={name: _plain(chance, name) for name in _some(chance)},
            attributes={"P": _plain(chance, "P")} if chance.random() < 0.3 else {},
        )
        native = _made(partial(from_steam, heard))
        if _accepts(filter_, mapping, native):
            assert any(
                subject == heard.subject and content.accepts(heard.parameters)
                for subject, content in filters
            ), (to_text(filter_.tree), wanted_, heard)


def topics(chance: Chance) -> None:
    """A subject that a filter accepts is subscribed to at brokers of topics, a frame on a bus."""
    mapping, filter_ = _mapping(chance), _filter(chance)
    found = wanted(filter_.tree, mapping)
    in_nats, in_mqtt = nats_subjects(found.subjects), mqtt_topics(found.subjects)
    for _ in range(6):
        if chance.random() < 0.3:
            native = Native(None, octets=bytes(7) + b"\x02", can_id=12345, extended=True)
            if _accepts(filter_, mapping, native):
                assert (12345, True) in found.frames, to_text(filter_.tree)
            continue
        subject = "".join(chance.choice("ab./") for _ in range(chance.choice((1, 2, 3, 5))))
        if chance.random() < 0.7:
            subject = chance.subject()
        event = chance.event()
        native = Native(subject, event.parameters, event.attributes)
        if _accepts(filter_, mapping, native):
            told = (to_text(filter_.tree), subject, in_nats, in_mqtt)
            assert any(pattern.matches(subject) for pattern in found.subjects), told
            assert any(_mqtt_matches(topic, subject) for topic in in_mqtt), told
            if all(subject.split(".")):
                assert any(_nats_matches(topic, subject) for topic in in_nats), told


def routed(chance: Chance) -> None:
    """A subscription matches the topic of what the filter accepts, of levels and subjects."""
    mapping, filter_ = _mapping(chance), _filter(chance)
    syntax = chance.choice((NATS, MQTT))
    names = TopicNames(syntax, chance.choice((".", "/")))
    texts = (("x.{a}.{b}", "a"), ("x.{c}", "Raw"), ("y.{c}.z", "a"), ("{a}.{b}.{c}.w", "abc"))
    kept = [pair for pair in texts if chance.random() < 0.7]
    routes = Routes(
        [route_of(text.replace(".", syntax.separator), event, names) for text, event in kept], names
    )
    patterns = topics_of(filter_.tree, mapping, routes).patterns
    for _ in range(6):
        fields = {field.id: field for field in chance.event().parameters}
        levels = {name: chance.choice(("x", "y", "", "a b", *SUBJECTS)) for name in ("a", "b", "c")}
        fields |= {name: Field(name, Type.STRING, text) for name, text in levels.items()}
        try:
            topic, left, _ = routes.place(
                chance.choice(("a", "Raw", "abc", *SUBJECTS)), (*fields.values(),)
            )
            taken = routes.take(topic)
        except FesError:
            continue
        assert taken is not None
        if _accepts(filter_, mapping, Native(taken.subject, (*taken.levels, *left))):
            told = (to_text(filter_.tree), topic, patterns)
            assert any(matches(pattern, topic, syntax) for pattern in patterns), told


def scales(chance: Chance) -> None:
    """A number that the mapping calculates is compared with what it was natively."""
    rule = {"scale": chance.choice((2, -0.5, 1.609344, 0.05)), "offset": chance.choice((0, 1, -40))}
    mapping = _scaled(*rule.values())
    relation, numbers = chance.choice(RELATIONS), [chance.choice(SMALL) for _ in range(4)]
    test = Comparison(
        Parameter("a"), relation, Constant(numbers[0] * rule["scale"] + rule["offset"])
    )
    tree = And((Comparison(Subject(), "=", Constant("a")), test))
    filters, _ = FilterMapping(mapping, Names({})).translate(tree)
    accepts, tests = compile_filter(tree), [compile_siena(each) for each in filters]
    for number in numbers:
        for event, _time in mapping.to_events(Native("a", Event.of("a", a=number).parameters)):
            if accepts(event) is True:
                values = {"FES_Subject": "a", "a": number}
                assert any(test(values) for test in tests), (to_text(tree), values, filters)


@cache
def _scaled(scale: float, offset: float) -> Mapping:
    field = {"scale": scale, "offset": offset}
    return Mapping(load_rules([{"subject": "a", "parameters": {"a": field}}], Path()))


NATIVE_LAWS: dict[str, Callable[[Chance], None]] = {
    "CNS: the filter object lets pass what the filter accepts": cns,
    "SIENA: a native filter matches what the filter accepts": siena,
    "STEAM: a content filter accepts what the filter does": steam,
    "NATS, MQTT, CAN: what the filter accepts is subscribed to": topics,
    "plain NATS, MQTT: what the filter accepts is subscribed to by its levels": routed,
    "a number that the mapping calculates is compared with what it was": scales,
}


def _filter(chance: Chance, *, subject: bool = False) -> Filter:
    tree = chance.filter()
    if subject or chance.random() < 0.5:
        only = chance.choice(("a", "a", "ab", *SUBJECTS))
        tree = And((tree, Comparison(Subject(), "=", Constant(only))))
    chance.favour(tree)
    return Filter(to_text(tree), tree, canonical(tree), compile_filter(tree))


def _mapping(chance: Chance) -> Mapping:
    return mapping_of(chance.randrange(len(RULES)))


def _made(make: Callable[[], Native]) -> Native | None:
    try:
        return make()
    except FesError:
        return None


def _accepts(filter_: Filter, mapping: Mapping, native: Native | None) -> bool:
    """Tell whether an event that a native one becomes is accepted."""
    if native is None:
        return False
    try:
        events = mapping.to_events(native)
    except FesError:
        return False
    return any(filter_.matches(event) for event, _ in events)


def _some(chance: Chance) -> Iterable[str]:
    return [name for name in (*NATIVE_NAMES, "lat", "lon") if chance.random() < 0.6]


def _siena_name(names: Names, name: str) -> str:
    return names.attribute(name) if name in ATTRIBUTES else names.parameter(name)


def _plain(chance: Chance, name: str) -> Any:
    """Return a value that SIENA and STEAM have."""
    value = chance.value(name)
    return "inner" if hasattr(value, "subject") else value


def _cns_event(chance: Chance, forms: Forms) -> tuple[StructuredEvent | AnyEvent, Native | None]:
    draw = chance.random()
    if draw < 0.15:
        frame = can_frame_any(12345, bytes(7) + b"\x02", extended=True)
        return AnyEvent(frame), _made(lambda: forms.from_any(frame, None))
    if draw < 0.3:
        value = {name: _any(chance, name) for name in _some(chance)}
        return AnyEvent(value), _made(lambda: forms.from_any(value, None))
    header = {
        name: _any(chance, name) for name in (*ATTRIBUTES, "Timeout") if chance.random() < 0.5
    }
    event = structured_event(
        (chance.choice(("", "D")), chance.subject()),
        chance.subject(),
        variable_header=header,
        filterable_data={name: _any(chance, name) for name in _some(chance)},
        body=chance.choice((None, None, "x", 1)),
    )
    return event, _made(lambda: forms.from_structured(event))


def _any(chance: Chance, name: str) -> Any:
    """Return a value that an Any has."""
    value = _plain(chance, name) if chance.random() < 0.9 else None
    if type(value) is int and chance.random() < 0.3 and -(2**63) <= value < 2**63:
        return LongLong(value)
    return {"x": 1} if value is None and chance.random() < 0.5 else value


def _nats_matches(topic: str, subject: str) -> bool:
    head, wild, _ = topic.partition(">")
    return subject.startswith(head) and len(subject) > len(head) if wild else topic == subject


def _mqtt_matches(topic: str, subject: str) -> bool:
    if topic.endswith("#"):
        head = topic[:-1]
        return subject.startswith(head) or subject == head.removesuffix("/")
    return topic == subject

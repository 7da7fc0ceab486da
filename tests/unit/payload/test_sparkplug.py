"""Sparkplug B: births name metrics, sequence numbers show losses, nodes are requested to repeat."""

import json
from typing import Any

import pytest
from eventservices.stamp import Stamp
from fes.errors import CodecError
from fes.model import Event, Field, Type
from fes.payload.losses import Losses
from fes.payload.sparkplug import nodes as tables
from fes.payload.sparkplug.codec import SparkplugCodec
from fes.payload.sparkplug.reader import Read
from fes.payload.sparkplug.topics import with_births
from fes.payload.sparkplug.wire import parse
from support.payloads.sparkplug import metric, octets, payload
from support.payloads.values import fields

NODE = "spBv1.0/plant/{}/edge"
DEVICE = NODE + "/pump"
STAMP = Stamp("far", 1, 7, 1_700_000_000_000_000, "away")
BIRTH = payload(
    metric("bdSeq", 4, kind=8),
    metric("Node Control/Rebirth", False, kind=11),
    metric("level", 100, alias=2, kind=3),
    metric("celsius", -12, alias=3, kind=1),
    seq=0,
)
DEVICE_BIRTH = payload(
    metric("speed", 81.5, alias=10, kind=9),
    metric("licence", "AB 1", alias=11, kind=12),
    seq=1,
)


class Plant:
    """A codec, and its clock."""

    def __init__(self, *, rebirths: bool = True) -> None:
        self.now_s = 1000.0
        self.losses = Losses()
        self.codec = SparkplugCodec(self.losses, lambda: self.now_s, rebirths=rebirths)

    def born(self) -> "Plant":
        self.read(NODE.format("NBIRTH"), BIRTH)
        self.read(DEVICE.format("DBIRTH"), DEVICE_BIRTH)
        return self

    def read(self, topic: str, data: bytes) -> Read:
        found = self.codec.read(topic, data)
        assert found is not None
        return found

    def values(self, topic: str, data: bytes) -> dict[str, Any]:
        return {field.id: field.value for field in self.read(topic, data).parameters}

    def requested(self) -> list[str]:
        return [each.topic for each in self.codec.commands(0)]


def test_a_birth_is_an_event_of_all_metrics() -> None:
    found = Plant().read(NODE.format("NBIRTH"), BIRTH)
    assert found.parameters == (
        Field("bdSeq", Type.LONGLONG, 4),
        Field("Node Control/Rebirth", Type.BOOLEAN, False),
        Field("level", Type.LONG, 100),
        Field("celsius", Type.LONG, -12),
    )
    assert found.time_us == 1_700_000_000_000_000
    told = {field.id: field.value for field in found.attributes}
    assert told == {"SparkplugSeq": 0, "MetricTypes": '{"bdSeq":"UInt64","celsius":"Int8"}'}


def test_what_a_birth_told_names_and_types_every_later_metric() -> None:
    """An alias alone, and a name and an alias without a type: the type is that of the birth."""
    plant = Plant().born()
    assert plant.values(
        DEVICE.format("DDATA"), payload(metric(alias=10, value=118.25, kind=9, told=False), seq=2)
    ) == {"speed": 118.25}
    both = metric("celsius", -12, alias=3, kind=3, told=False)
    assert plant.values(NODE.format("NDATA"), payload(both, seq=3)) == {"celsius": -12}
    assert plant.requested() == []


def test_a_null_metric_is_absent_and_counted() -> None:
    plant = Plant().born()
    data = payload(metric(alias=3), metric(alias=2, value=5, kind=3, told=False), seq=2)
    assert plant.values(NODE.format("NDATA"), data) == {"level": 5}
    assert plant.codec.nulls == 1


def test_a_gap_in_the_sequence_is_counted_and_the_node_requested_to_repeat() -> None:
    plant = Plant().born()
    data = payload(metric(alias=2, value=80, kind=3, told=False), seq=255)
    assert plant.values(NODE.format("NDATA"), data) == {"level": 80}
    assert plant.codec.counters()["sparkplug_gaps"] == 1
    (command,) = plant.codec.commands(5_000_000)
    assert command.topic == "spBv1.0/plant/NCMD/edge"
    assert command.payload == payload(
        metric("Node Control/Rebirth", True, kind=11, time_ms=5000), time_ms=5000
    )


def test_the_sequence_goes_on_at_zero_after_255() -> None:
    plant = Plant().born()
    for seq in (*range(2, 256), 0, 1):
        plant.read(NODE.format("NDATA"), payload(metric(alias=2, value=1, kind=3), seq=seq))
    assert plant.codec.counters()["sparkplug_gaps"] == 0


def test_an_alias_that_no_birth_told_has_no_name_and_the_node_is_requested_to_repeat() -> None:
    plant = Plant().born()
    with pytest.raises(CodecError, match="alias 99 is not known: it was in no birth"):
        plant.read(NODE.format("NDATA"), payload(metric(alias=99, value=1, kind=3), seq=2))
    assert plant.requested() == ["spBv1.0/plant/NCMD/edge"]


def test_an_alias_of_a_device_names_nothing_of_its_node() -> None:
    with pytest.raises(CodecError, match="alias 10 is not known"):
        Plant().born().read(
            NODE.format("NDATA"), payload(metric(alias=10, value=1.0, kind=9), seq=2)
        )


def test_a_node_is_requested_once_a_minute_at_most() -> None:
    plant = Plant()
    data = payload(metric(alias=1, value=1, kind=3), seq=5)
    for seconds in (0, 1, 59.9):
        plant.now_s = 1000.0 + seconds
        with pytest.raises(CodecError, match="alias 1 is not known"):
            plant.read(NODE.format("NDATA"), data)
    assert len(plant.requested()) == 1
    plant.now_s = 1060.0
    with pytest.raises(CodecError):
        plant.read(NODE.format("NDATA"), data)
    assert len(plant.requested()) == 1


def test_requests_that_wait_are_bounded_and_what_is_too_much_is_counted() -> None:
    plant = Plant()
    for at in range(105):
        with pytest.raises(CodecError):
            plant.read(
                f"spBv1.0/plant/NDATA/edge{at}", payload(metric(alias=1, value=1, kind=3), seq=5)
            )
    assert plant.codec.counters()["rebirths_dropped"] == 5
    assert len(plant.requested()) == 100


def test_no_node_is_requested_where_the_setting_forbids_it() -> None:
    plant = Plant(rebirths=False)
    with pytest.raises(CodecError):
        plant.read(NODE.format("NDATA"), payload(metric(alias=1, value=1, kind=3), seq=5))
    assert plant.requested() == []


def test_a_second_birth_ends_what_the_first_told() -> None:
    plant = Plant().born()
    plant.read(NODE.format("NBIRTH"), payload(metric("other", 1, alias=2, kind=3), seq=0))
    data = payload(metric(alias=2, value=7, kind=3, told=False), seq=1)
    assert plant.values(NODE.format("NDATA"), data) == {"other": 7}
    with pytest.raises(CodecError, match="alias 10 is not known"):
        plant.read(DEVICE.format("DDATA"), payload(metric(alias=10, value=1.0, kind=9), seq=2))


def test_a_death_ends_what_births_told() -> None:
    plant = Plant().born()
    assert plant.values(NODE.format("NDEATH"), payload(metric("bdSeq", 4, kind=8))) == {"bdSeq": 4}
    with pytest.raises(CodecError, match="alias 2 is not known"):
        plant.read(NODE.format("NDATA"), payload(metric(alias=2, value=1, kind=3), seq=2))


def test_the_death_of_an_earlier_session_ends_nothing() -> None:
    plant = Plant().born()
    with pytest.raises(CodecError, match="death of session 3, and 4 is the present one"):
        plant.read(NODE.format("NDEATH"), payload(metric("bdSeq", 3, kind=8)))
    data = payload(metric(alias=2, value=1, kind=3, told=False), seq=2)
    assert plant.values(NODE.format("NDATA"), data) == {"level": 1}


def test_the_death_of_a_device_leaves_its_node() -> None:
    plant = Plant().born()
    plant.read(DEVICE.format("DDEATH"), payload(seq=2))
    data = payload(metric(alias=2, value=1, kind=3, told=False), seq=3)
    assert plant.values(NODE.format("NDATA"), data) == {"level": 1}
    with pytest.raises(CodecError, match="alias 10 is not known"):
        plant.read(DEVICE.format("DDATA"), payload(metric(alias=10, value=1.0, kind=9), seq=4))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff", "not a Sparkplug payload"),
        (payload(metric("a", 1, kind=3)), "NBIRTH has no sequence number"),
        (payload(metric("a", 1, kind=3), seq=256), "NBIRTH has no sequence number"),
        (payload(metric("a", 1, kind=3), metric("a", 2, kind=3), seq=0), "'a' occurs twice"),
        (payload(metric("a", kind=3), metric("a", kind=3), seq=0), "'a' occurs twice"),
        (
            payload(metric("a", 1, alias=1, kind=3), metric("b", 2, alias=1, kind=3), seq=0),
            "alias 1 is that of 'a', too",
        ),
        (payload(metric("a", 2**64 - 1, kind=8), seq=0), "does not fit 64 bit"),
        (payload(metric("a", "x", kind=12)[:-3] + b"\x50\x01", seq=0), "no value of its type"),
        (payload(metric("a", b"abc", kind=24), seq=0), "no array of Int32"),
        (payload(metric("a", b"\xff\xff\xff\xff", kind=32), seq=0), "booleans"),
        (payload(metric("a", b"", kind=99), seq=0), "no value of its type data type 99"),
        (payload(*[b"\x38\x01"] * 5000, seq=0), "more than 4096 values"),
    ],
)
def test_a_birth_that_cannot_be_read_is_refused_and_its_node_unknown(
    data: bytes, reason: str
) -> None:
    plant = Plant().born()
    with pytest.raises(CodecError, match=reason):
        plant.read(NODE.format("NBIRTH"), data)
    if "sequence" not in reason and "payload" not in reason and "4096" not in reason:
        with pytest.raises(CodecError, match="alias 2 is not known"):
            plant.read(NODE.format("NDATA"), payload(metric(alias=2, value=1, kind=3), seq=1))


def test_templates_are_events_in_events_and_not_nested_without_end() -> None:
    inner = metric("x", 5, kind=3)
    for _ in range(3):
        inner = metric("t", octets(2, inner), kind=19)
    (field,) = Plant().read(NODE.format("NBIRTH"), payload(inner, seq=0)).parameters
    assert field.value.parameter("t").parameter("t").parameter("x") == 5
    for _ in range(10):
        inner = metric("t", octets(2, inner), kind=19)
    with pytest.raises(CodecError, match="templates nested deeper than 8"):
        Plant().read(NODE.format("NBIRTH"), payload(inner, seq=0))


def test_what_metrics_have_beside_their_values_is_counted() -> None:
    plant = Plant()
    plant.read(
        NODE.format("NBIRTH"),
        payload(
            metric("a", 1, kind=3, time_ms=5),
            metric("b", 1, kind=3, extra=octets(9, b"")),
            metric("c", 1, kind=3, time_ms=1_700_000_000_000),
            seq=0,
        ),
    )
    assert plant.losses.details_lost == 2


def test_a_metric_of_an_earlier_time_marks_its_event() -> None:
    data = payload(metric("a", 1, kind=3, extra=b"\x28\x01"), seq=0)
    attributes = Plant().read(NODE.format("NBIRTH"), data).attributes
    assert Field("Historical", Type.BOOLEAN, True) in attributes


@pytest.mark.parametrize(
    ("topic", "is_read"),
    [
        ("spBv1.0/g/NDATA/n", True),
        ("spBv1.0/g/DDATA/n/d", True),
        ("spBv1.0/g/DDATA/n", False),
        ("spBv1.0/g/NDATA/n/d", False),
        ("spBv1.0/STATE/host", False),
        ("spBv1.0/g/OTHER/n", False),
        ("spAv1.0/g/NDATA/n", False),
        ("spBv1.0//NDATA/n", False),
    ],
)
def test_only_messages_of_nodes_and_devices_are_sparkplug(topic: str, *, is_read: bool) -> None:
    found = Plant().codec.read(topic, payload(seq=0))
    assert (found is not None) is is_read


def test_an_event_is_a_message_with_names_and_types() -> None:
    plant = Plant()
    array = Event("array", tuple(Field(str(at), Type.LONG, at) for at in range(3)))
    parameters = (
        *fields(text="x", whole=-1, large=2**40, real=0.1, on=True, raw=b"\0"),
        Field("list", Type.EVENT, array),
    )
    data = plant.codec.write(DEVICE.format("DBIRTH"), parameters, (), STAMP)
    assert data is not None
    found = plant.read(DEVICE.format("DBIRTH"), data)
    assert found.parameters == parameters
    assert found.time_us == STAMP.time_us
    assert [each.datatype for each in parse(data).metrics] == [12, 3, 4, 10, 11, 17, 24]


def test_the_types_and_the_number_of_a_message_are_kept_on_its_way() -> None:
    plant = Plant()
    found = plant.read(NODE.format("NBIRTH"), BIRTH)
    data = plant.codec.write(NODE.format("NBIRTH"), found.parameters, found.attributes, STAMP)
    assert data is not None
    message = parse(data)
    assert [each.datatype for each in message.metrics] == [8, 11, 3, 1]
    assert plant.read(NODE.format("NBIRTH"), data) == found


def test_messages_of_a_node_are_numbered() -> None:
    plant = Plant()
    numbers = [
        parse(plant.codec.write(NODE.format(kind), fields(x=1), (), STAMP) or b"").seq
        for kind in ("NBIRTH", "NDATA", "NDATA", "NBIRTH", "NDATA")
    ]
    assert numbers == [0, 1, 2, 0, 1]
    command = plant.codec.write(NODE.format("NCMD"), fields(x=1), (), STAMP)
    assert not parse(command or b"").HasField("seq")


@pytest.mark.parametrize(
    ("field", "kinds", "reason"),
    [
        (Field("x", Type.EVENT, Event("object")), {}, "'x': an object has no data type"),
        (Field("x", Type.LONG, 300), {"x": "Int8"}, "'x': Int8 has no 300"),
        (Field("x", Type.LONG, -1), {"x": "UInt64"}, "'x': UInt64 has no -1"),
        (Field("x", Type.STRING, "y"), {"x": "Double"}, "'x': Double has no"),
        (Field("x", Type.LONG, 1), {"x": "Tree"}, "expected an object of data types"),
    ],
)
def test_what_is_no_metric_is_refused_with_its_name(
    field: Field, kinds: dict[str, str], reason: str
) -> None:
    told = (Field("MetricTypes", Type.STRING, json.dumps(kinds)),) if kinds else ()
    with pytest.raises(CodecError, match=reason):
        Plant().codec.write(NODE.format("NDATA"), (field,), told, STAMP)


def test_a_float_that_is_rounded_is_counted() -> None:
    plant = Plant()
    told = (Field("MetricTypes", Type.STRING, '{"x":"Float"}'),)
    plant.codec.write(NODE.format("NDATA"), fields(x=0.1), told, STAMP)
    plant.codec.write(NODE.format("NDATA"), fields(x=0.5), told, STAMP)
    assert plant.losses.precision_lost == 1


def test_nodes_are_bounded_and_the_one_silent_for_longest_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "MAX_NODES", 3)
    plant = Plant()
    for at in range(5):
        plant.read(f"spBv1.0/plant/NBIRTH/edge{at}", BIRTH)
    counters = plant.codec.counters()
    assert (counters["sparkplug_nodes"], counters["sparkplug_forgotten"]) == (3, 2)


def test_metrics_of_all_nodes_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_METRICS", 10)
    plant = Plant()
    for at in range(5):
        plant.read(f"spBv1.0/plant/NBIRTH/edge{at}", BIRTH)
    assert plant.codec.counters()["sparkplug_nodes"] == 2
    data = payload(metric(alias=2, value=1, kind=3, told=False), seq=1)
    assert plant.values("spBv1.0/plant/NDATA/edge4", data) == {"level": 1}


def test_one_node_has_no_more_metrics_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_NODE_METRICS", 3)
    with pytest.raises(CodecError, match="more than 3 metrics of one node"):
        Plant().read(NODE.format("NBIRTH"), BIRTH)


@pytest.mark.parametrize(
    ("patterns", "wider"),
    [
        (("spBv1.0/g/DDATA/n/d",), ("spBv1.0/g/+/n/#",)),
        (("spBv1.0/+/NDATA/+",), ("spBv1.0/+/+/+/#",)),
        (("spBv1.0/g/DDATA/#",), ("spBv1.0/g/+/+/#",)),
        (("spBv1.0/g/+/n/#",), ("spBv1.0/g/+/n/#",)),
        (("spBv1.0/#", "a/b", "spBv1.0/STATE/h"), ("spBv1.0/#", "a/b", "spBv1.0/STATE/h")),
    ],
)
def test_a_subscription_brings_the_births_too(
    patterns: tuple[str, ...], wider: tuple[str, ...]
) -> None:
    assert with_births(patterns) == (wider, wider != patterns)

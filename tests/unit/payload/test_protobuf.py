"""Protobuf payloads by a descriptor set or a `.proto` file: types, framing, what is refused."""

from pathlib import Path
from typing import Any

import msgpack
import pytest
from fes.errors import FederationError
from fes.payload.bodies import Bodies
from fes.payload.by_schema.loading import load_schema
from fes.payload.by_schema.schemas import Schema
from fes.payload.losses import Losses
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Kind
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from support.payloads.values import fields

ONCE, INNER = Kind.LABEL_OPTIONAL, Kind.TYPE_MESSAGE
PROTO = """
syntax = "proto3";
package plant;
enum State { OFF = 0; ON = 1; }
message Place { double lat = 1; }
message Other {}
message Reading {
  string room = 1;
  double celsius = 2;
  optional int64 count = 3;
  State state = 4;
  Place place = 5;
  repeated sint32 last = 6;
  map<string, uint32> by_name = 7;
  bytes raw = 8;
  float rough = 9;
  map<int32, Place> places = 10;
  message Inner { bool on = 1; }
}
"""
PROTO2 = """
syntax = "proto2";
package old;
enum State { OFF = 0; ON = 1; }
message Reading {
  optional string room = 1;
  optional State state = 2;
  oneof by { int32 number = 3; string name = 4; }
  map<int64, string> names = 5;
  map<string, int32> numbers = 6;
  repeated Place places = 7;
  extensions 100 to 200;
}
message Place { optional Place2 inner = 1; repeated Place2 more = 2; repeated group Old = 3 {} }
message Place2 { optional double lat = 1; }
message Strict { required int32 x = 1; optional Place place = 2; }
message Holder { extend Reading { optional Place outer = 100; } }
"""
ALWAYS: dict[str, Any] = {"room": "", "celsius": 0.0, "state": "OFF", "raw": b"", "rough": 0.0}
"""Fields without presence: proto3 does not tell them from their defaults."""


def loaded(
    folder: Path, name: str = "plant.Reading", losses: Losses | None = None, **given: Any
) -> Bodies:
    text = PROTO2 if name.startswith("old.") else PROTO
    (folder / "x.proto").write_text(text, encoding="utf-8")
    made = Schema(file="x.proto", message=name, **given)
    return Bodies("", load_schema(made, "protobuf", folder, losses or Losses()))


def descriptors(*messages: descriptor_pb2.DescriptorProto, **more: Any) -> bytes:
    file = FileDescriptorProto(name="x.proto", package="p", message_type=messages, **more)
    return FileDescriptorSet(file=[file]).SerializeToString()


def by_set(folder: Path, data: bytes, name: str = "p.R") -> Bodies:
    (folder / "x.desc").write_bytes(data)
    made = Schema(file="x.desc", message=name)
    return Bodies("", load_schema(made, "protobuf", folder, Losses()))


def test_a_message_is_parameters_and_comes_back(tmp_path: Path) -> None:
    """The octets are written by hand, from the encoding's own description."""
    bodies = loaded(tmp_path)
    payload = (
        b"\x0a\x04hall\x11\x00\x00\x00\x00\x00\x80\x35\x40\x18\x80\x80\x80\x80\x80\x20"
        b"\x20\x01\x2a\x09\x09\x00\x00\x00\x00\x00\x00\x49\x40\x32\x02\x01\x04\x3a\x05\x0a\x01k\x10\x07"
    )
    found = {field.id: field.value for field in bodies.read("protobuf", payload, {})}
    place, last, by_name = (found.pop(name) for name in ("place", "last", "by_name"))
    assert found == {**ALWAYS, "room": "hall", "celsius": 21.5, "count": 2**40, "state": "ON"}
    assert place.parameter("lat") == 50.0
    assert [each.value for each in last.parameters] == [-1, 2]
    assert by_name.parameter("k") == 7
    assert bodies.write("protobuf", bodies.read("protobuf", payload, {}))[0] == payload


def test_a_field_without_presence_is_always_there(tmp_path: Path) -> None:
    assert loaded(tmp_path).read("protobuf", b"", {}) == fields(**ALWAYS)


def test_a_descriptor_set_needs_no_compiler(tmp_path: Path) -> None:
    message = descriptor_pb2.DescriptorProto(
        name="R", field=[Kind(name="x", number=1, type=Kind.TYPE_INT32, label=ONCE)]
    )
    bodies = by_set(tmp_path, descriptors(message))
    payload, _ = bodies.write("protobuf", fields(x=-5))
    assert bodies.read("protobuf", payload, {}) == fields(x=-5)


def test_a_map_has_keys_of_any_type(tmp_path: Path) -> None:
    bodies = loaded(tmp_path)
    payload = b"\x52\x0d\x08\x07\x12\x09\x09\x00\x00\x00\x00\x00\x00\x49\x40"
    found = bodies.read("protobuf", payload, {})
    places = next(field.value for field in found if field.id == "places")
    assert places.parameter("7").parameter("lat") == 50.0
    assert bodies.write("protobuf", found)[0] == payload


@pytest.mark.parametrize(
    ("name", "path"),
    [("Place", b"\0"), ("Reading", b"\x02\x04"), ("Reading.Inner", b"\x04\x04\x04")],
)
def test_the_framing_of_a_registry_has_the_path_of_the_message(
    tmp_path: Path, name: str, path: bytes
) -> None:
    """Maps are messages inside theirs too, so `Inner` is the third of them."""
    bodies = loaded(tmp_path, f"plant.{name}", framing="confluent", id=3)
    assert bodies.write("protobuf", ())[0] == b"\0\0\0\0\x03" + path
    with pytest.raises(ValueError, match="framing confluent: expected"):
        bodies.read("protobuf", b"\0\0\0\0\x04" + path, {})


def test_a_message_in_itself_is_refused(tmp_path: Path) -> None:
    inner = Kind(name="r", number=1, type=INNER, label=ONCE, type_name=".p.R")
    message = descriptor_pb2.DescriptorProto(name="R", field=[inner])
    with pytest.raises(FederationError, match=r"p\.R is recursive"):
        by_set(tmp_path, descriptors(message))


def test_messages_that_repeat_one_another_are_counted_as_often_as_they_are_written_out(
    tmp_path: Path,
) -> None:
    messages = [
        descriptor_pb2.DescriptorProto(
            name=f"A{at}",
            field=[
                Kind(
                    name=f"f{n}",
                    number=n,
                    type=INNER,
                    label=ONCE,
                    type_name=f".p.A{at + 1}",
                )
                for n in (1, 2)
            ],
        )
        for at in range(13)
    ]
    last = descriptor_pb2.DescriptorProto(name="A13")
    with pytest.raises(FederationError, match="more than 4096 fields"):
        by_set(tmp_path, descriptors(*messages, last), "p.A0")


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"\xff", "p.R", "not a FileDescriptorSet"),
        (descriptors(), "p.R", r"there is no message 'p\.R'"),
        (descriptors(dependency=["away.proto"]), "p.R", "not a whole FileDescriptorSet"),
    ],
)
def test_a_file_that_is_no_schema_is_refused(
    tmp_path: Path, data: bytes, name: str, reason: str
) -> None:
    with pytest.raises(FederationError, match=reason):
        by_set(tmp_path, data, name)


def test_a_proto_file_that_is_wrong_is_refused(tmp_path: Path) -> None:
    (tmp_path / "y.proto").write_text("syntax = ;", encoding="utf-8")
    with pytest.raises(FederationError, match=r"schema y\.proto: protoc refuses it"):
        load_schema(Schema(file="y.proto", message="R"), "protobuf", tmp_path, Losses())


def test_a_payload_that_is_no_message_is_refused(tmp_path: Path) -> None:
    for payload in (b"\x0a\x04hal", b"\x0a\x01\xff", b"\xff" * 20):
        with pytest.raises(ValueError, match="not of this Protobuf message"):
            loaded(tmp_path).read("protobuf", payload, {})


def test_more_values_than_any_payload_has_are_refused(tmp_path: Path) -> None:
    payload = b"\x32\x81\x20" + b"\x02" * 4097
    with pytest.raises(ValueError, match="more than 4096 values"):
        loaded(tmp_path).read("protobuf", payload, {})


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(b"\x3a\x00" * 5000, id="messages"),
        pytest.param(b"\x3a\xa0\x9c\x01" + b"\x12\x00" * 10_000, id="messages in a message"),
        pytest.param(b"\x3a\xa0\x9c\x01" + b"\x1b\x1c" * 10_000, id="groups in a message"),
        pytest.param(b"\x32\x00" * 5000, id="entries of a map"),
        pytest.param(b"\x32\xa0\x9c\x01" + b"\x10\x01" * 10_000, id="values of one entry"),
        pytest.param(b"\xc0\x3e\x01" * 5000, id="unknown fields"),
    ],
)
def test_a_message_of_too_many_values_is_refused_before_it_is_made(
    tmp_path: Path, payload: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = loaded(tmp_path, "old.Reading")
    monkeypatch.setattr("fes.payload.by_schema.protobuf.ProtobufCodec._plain", None)
    with pytest.raises(ValueError, match="more than 4096 values"):
        bodies.read("protobuf", payload, {})


def test_a_map_is_as_large_as_any_other_payload(tmp_path: Path) -> None:
    numbers = {f"number-{at:04}": at for at in range(4000)}
    bodies = loaded(tmp_path, "old.Reading")
    given = Bodies().read("msgpack", msgpack.packb({"numbers": numbers}), {})
    assert bodies.read("protobuf", bodies.write("protobuf", given)[0], {}) == given


def test_an_extension_is_an_unknown_field(tmp_path: Path) -> None:
    losses = Losses()
    bodies = loaded(tmp_path, "old.Reading", losses)
    assert bodies.read("protobuf", b"\x0a\x01a\xa2\x06\x02\x12\x00", {}) == fields(room="a")
    assert losses == Losses(fields_lost=1)


@pytest.mark.parametrize(
    ("name", "payload", "reason"),
    [
        ("old.Strict", b"", "not of this Protobuf message: x missing"),
        ("old.Reading", b"\x0a\x01\xff", "room: not UTF-8"),
        ("old.Reading", b"\x32\x05\x0a\x01\xff\x10\x01", "key: not UTF-8"),
        ("old.Reading", b"\x2a\x05\x08\x01\x12\x01\xff", "value: not UTF-8"),
    ],
)
def test_a_message_of_proto2_that_breaks_its_rules_is_refused(
    tmp_path: Path, name: str, payload: bytes, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        loaded(tmp_path, name).read("protobuf", payload, {})


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"number": 1, "name": "x"}, "name: the schema has either this field or number"),
        ({"state": 7}, "state: 7 is not a value of old.State"),
        ({"names": {"1": "a", "+1": "b"}}, "names: '[+]1' is not a key of this map"),
        ({"names": {"1_0": "a"}}, "names: '1_0' is not a key of this map"),
    ],
)
def test_an_event_that_proto2_would_change_in_silence_is_refused(
    tmp_path: Path, given: dict[str, Any], reason: str
) -> None:
    parameters = Bodies().read("msgpack", msgpack.packb(given), {})
    with pytest.raises(ValueError, match=reason):
        loaded(tmp_path, "old.Reading").write("protobuf", parameters)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"room": 1}, "room: the schema has another type, found 1"),
        ({"state": "BROKEN"}, "state: 'BROKEN' is not a value of plant.State"),
        ({"state": 2**31}, "state: 2147483648 does not fit 32 bit"),
        ({"raw": "text"}, "raw: the schema has another type"),
        ({"rough": 1e39}, "rough: 1e[+]39 is out of range"),
        ({"place": 1}, "place: the schema has another type"),
        ({"count": 1.5}, "count: the schema has another type"),
        ({"last": [2**31]}, "last: 2147483648 does not fit 32 bit"),
        ({"by_name": {"k": -1}}, "by_name: -1 does not fit unsigned 32 bit"),
        ({"places": {"x": {}}}, "places: 'x' is not a key of this map"),
    ],
)
def test_an_event_that_does_not_fit_is_refused_with_its_field(
    tmp_path: Path, given: dict[str, Any], reason: str
) -> None:
    parameters = Bodies().read("msgpack", msgpack.packb(given), {})
    with pytest.raises(ValueError, match=reason):
        loaded(tmp_path).write("protobuf", parameters)


def test_what_a_message_cannot_carry_is_counted(tmp_path: Path) -> None:
    losses = Losses()
    bodies = loaded(tmp_path, losses=losses)
    bodies.write("protobuf", fields(rough=0.1, more=1))
    bodies.write("protobuf", fields(celsius=5))
    bodies.read("protobuf", b"\xa0\x06\x01", {})
    assert losses == Losses(fields_lost=2, types_changed=1, precision_lost=1)

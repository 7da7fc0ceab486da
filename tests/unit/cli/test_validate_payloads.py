"""`fes validate` reads the schemas that payloads follow, and reports what payloads lose."""

import io
from pathlib import Path

import pytest
from fes.cli.validate import INVALID, OK, validate

FILE = """
version: 1
system: plain
brokers:
  house: {{kind: mqtt}}
  yard: {{kind: nats}}
event_services:
  house: {{kind: mqtt, brokers: [house], settings: {house}}}
  yard: {{kind: nats, brokers: [yard], settings: {yard}}}
gateways:
  gate: {{adapters: {{house: {{}}, yard: {{}}}}}}
"""
SCHEMA = '{"type": "record", "name": "R", "fields": [{"name": "celsius", "type": "float"}]}'


def found(folder: Path, house: str = "{}", yard: str = "{}") -> tuple[int, str]:
    (folder / "r.avsc").write_text(SCHEMA, encoding="utf-8")
    path = folder / "federation.yaml"
    path.write_text(FILE.format(house=house, yard=yard), encoding="utf-8")
    out = io.StringIO()
    return validate([path], {}, out, report=True), out.getvalue()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("{payload: avro}", "payload avro needs a schema"),
        ("{payload: protobuf, schema: {file: r.desc}}", "needs the name of its message"),
        ("{payload: avro, schema: {file: r.avsc, framing: confluent}}", "confluent needs an id"),
        ("{payload: avro, schema: {file: r.avsc, id: 5}}", "no other framing has one"),
        ("{payload: avro, schema: {file: away.avsc}}", "schema away.avsc: cannot be read"),
        ("{payload: sparkplug}", "sparkplug is a payload of MQTT"),
        ("{payload: avr}", "avr"),
    ],
)
def test_a_schema_that_is_not_good_is_named_with_its_service(
    tmp_path: Path, settings: str, reason: str
) -> None:
    status, text = found(tmp_path, yard=settings)
    assert status == INVALID
    assert reason in text
    assert "event_services.yard" in text


def test_what_payloads_lose_is_reported(tmp_path: Path) -> None:
    status, text = found(tmp_path, yard="{payload: avro, schema: {file: r.avsc}}")
    assert status == OK
    assert "rounded to 32 bits: celsius (precision_lost)" in text
    assert "parameters without a field in the schema are left out (fields_lost)" in text
    assert "payload json: attributes are left out (attributes_lost)" in text


def test_where_nothing_is_lost_nothing_is_reported(tmp_path: Path) -> None:
    status, text = found(tmp_path, house='{protocol: "5"}', yard="{payload: cloudevents}")
    assert status == OK
    assert "payload" not in text

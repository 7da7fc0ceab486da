"""Byte order marks, for whoever reads what people wrote."""

import codecs
import io
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import pytest
from analytics.inputs.document import Document
from eventservices.cns.domains import load_interfaces
from eventservices.credentials import read_password
from eventservices.steam.trace import load_trace
from fes.cli import filter as filters
from fes.errors import FederationError
from fes.federation import InvalidFederationError, load
from fes_naming import read_links
from fes_policy import load_building, load_rules
from serving.text import bytes_of, decode, open_text
from traffic_control.monitors import read_limits

FORMS = {
    "plain": ("utf-8", b""),
    "utf-8 mark": ("utf-8", codecs.BOM_UTF8),
    "utf-16 le": ("utf-16-le", codecs.BOM_UTF16_LE),
    "utf-16 be": ("utf-16-be", codecs.BOM_UTF16_BE),
    "utf-32 le": ("utf-32-le", codecs.BOM_UTF32_LE),
}
FEDERATION = (
    "version: 1\r\nsystem: zürich\r\n"
    "event_services: {a: {kind: memory}, b: {kind: memory}}\r\n"
    "gateways: {g: {adapters: {a: {}, b: {}}}}\r\n"
)


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def written(path: Path, text: str, form: str) -> Path:
    encoding, mark = FORMS[form]
    path.write_bytes(mark + text.encode(encoding))
    return path


def test_a_federation_file_is_read_in_every_form(form: str, tmp_path: Path) -> None:
    path = written(tmp_path / "federation.yaml", FEDERATION, form)
    assert load(path, {}).system == "zürich"
    assert Document(path).value["system"] == "zürich"


def test_events_of_a_file_are_read_in_every_form(form: str, tmp_path: Path) -> None:
    line = '{"subject": "Speed", "parameters": {"rate": 50.0, "town": "zürich"}}\n'
    path = written(tmp_path / "events.jsonl", line * 2, form)
    options = Namespace(act="test", filter="rate > 46", selector=False, events=path)
    out = io.StringIO()
    assert filters.run(options, {}, out) == filters.OK
    assert out.getvalue() == "1: true Speed\n2: true Speed\n2 accepted\n"


def test_a_password_has_no_mark(form: str, tmp_path: Path) -> None:
    assert read_password(written(tmp_path / "password", "geheim ü\r\n", form)) == "geheim ü"


def test_a_trace_of_positions_is_read_in_every_form(form: str, tmp_path: Path) -> None:
    text = "time_us,vehicle,lat,lon\r\n0,bus,50.0,11.0\r\n1000000,bus,50.0,11.0\r\n"
    assert list(load_trace(written(tmp_path / "trace.csv", text, form))) == ["bus"]


def test_monitors_of_a_run_are_read_in_every_form(form: str, tmp_path: Path) -> None:
    text = "monitor,lat,lon,radius_m,limit_kmh\r\nM01,50,11,150,50\r\n"
    assert list(read_limits(written(tmp_path / "monitors.csv", text, form))) == ["M01"]


def test_rules_and_buildings_are_read_in_every_form(form: str, tmp_path: Path) -> None:
    rules = written(tmp_path / "r.cedar", "permit (principal, action, resource);\r\n", form)
    building = written(tmp_path / "b.yaml", "users:\r\n  zürich: {groups: [staff]}\r\n", form)
    assert len(load_rules(rules).rules) == 1
    assert list(load_building(building).users) == ["zürich"]


def test_static_links_are_read_in_every_form(form: str, tmp_path: Path) -> None:
    path = written(tmp_path / "links", "# ü\r\n***THIS_DOMAIN_IS***=ie.tcd.\r\n", form)
    assert read_links(path).domain == "ie.tcd."


def test_interfaces_are_read_in_every_form(form: str, tmp_path: Path) -> None:
    path = written(tmp_path / "interfaces.toml", "[Door.open]\r\nby = 'string'\r\n", form)
    assert list(load_interfaces(path)) == ["Door"]


@pytest.mark.parametrize(
    "read",
    [load_rules, load_building, read_links, load_interfaces, read_limits, Document],
    ids=lambda read: str(read.__name__),
)
def test_a_device_without_an_end_is_refused(read: Callable[[Path], object]) -> None:
    with pytest.raises((ValueError, OSError), match="more than"):
        read(Path("/dev/zero"))


def test_what_a_mark_promises_and_the_file_lacks_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "federation.yaml"
    path.write_bytes(codecs.BOM_UTF16_LE + "version: 1\nsys".encode("utf-16-le") + b"\x00")
    with pytest.raises(InvalidFederationError, match="is not UTF-16") as told:
        load(path, {})
    assert isinstance(told.value, FederationError)
    assert "\n" not in str(told.value)


def test_bytes_that_are_no_text_come_through_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"a\xffb\r\n\xe2\x82\n")
    with open_text(path) as file:
        assert [bytes_of(line) for line in file] == [b"a\xffb\r\n", b"\xe2\x82\n"]


def test_where_a_byte_is_wrong_counts_from_the_start_of_the_file() -> None:
    with pytest.raises(UnicodeDecodeError) as told:
        decode(codecs.BOM_UTF8 + b"ab\xff")
    assert told.value.start == 5

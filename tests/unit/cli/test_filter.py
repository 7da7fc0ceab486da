"""`fes filter`: explain, test and covers."""

import sys
from pathlib import Path

import pytest
from fes.cli.filter import MAX_LINE_BYTES
from fes.cli.main import main

FEDERATION = """
version: 1
system: town
brokers: {one: {kind: nats}, air: {kind: mqtt}}
media: {sky: {}}
event_services:
  siena-m: {kind: siena, brokers: [one]}
  steam-m:
    {kind: steam, brokers: [air], medium: sky, settings: {range_m: 9, location: {lat: 1, lon: 2}}}
gateways:
  g:
    adapters:
      siena-m: {mappings: [warm]}
      steam-m: {control: {accept: [], relay: false}}
mappings:
  warm:
    - subject: Warmth
      parameters: {celsius: {from: raw, scale: 0.5, offset: -40}}
"""

EVENTS = """{"subject": "Speed", "parameters": {"rate": 80}}
{"subject": "Speed", "parameters": {"rate": 20}}

{"subject": "Speed", "parameters": {"rate": "fast"}}
{"subject": "Speed"}
{"subject":
"""


def fes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["fes", "filter", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, said.out, said.err


def test_explain_shows_tree_canonical_and_native_forms(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = fes(monkeypatch, capsys, "explain", "Speed = 1 AND NOT (rate <= 70)")
    assert status == 0
    assert out.startswith("tree\n  AND\n    Speed = 1\n    NOT\n      rate <= 70\n")
    assert "canonical form\n  Speed = 1 AND rate > 70\n" in out
    assert "at siena\n  filter{ Speed =1 rate >70}\n" in out
    assert "$.filterable_data(rate) > 70" in out
    assert "at steam\n  refused: STEAM cannot subscribe to every subject" in out
    assert "at cosmic\n  refused: COSMIC cannot subscribe to every subject" in out
    assert "at a broker of MQTT, by its topics\n  #\n  widened: Speed = 1 is not applied" in out


def test_explain_uses_the_mappings_of_a_federation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "federation.yaml"
    file.write_text(FEDERATION)
    text = "subject = 'Warmth' AND celsius > 10"
    status, out, _ = fes(monkeypatch, capsys, "explain", text, "--federation", str(file))
    assert status == 0
    assert 'at siena-m (siena, by g)\n  filter{ FES_Subject ="Warmth" raw >100.0}\n' in out
    assert "at steam-m (steam, by g)\n  subject 'Warmth' and celsius > 10\n" in out


def test_test_tells_each_event_and_why_it_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text(EVENTS)
    status, out, _ = fes(monkeypatch, capsys, "test", "subject = 'Speed' AND rate > 70", str(file))
    assert status == 0
    lines = out.splitlines()
    assert lines[:2] == ["1: true Speed", "2: false Speed"]
    assert lines[2:4] == [
        "4: unknown Speed",
        "4:   rate > 70 is unknown: rate is the string 'fast'",
    ]
    assert lines[5] == "5:   rate > 70 is unknown: the event has no parameter rate"
    assert lines[6].startswith("6: not an event: ")
    assert lines[-1] == "1 accepted"


def test_test_reads_what_listen_printed_comments_included(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "heard.jsonl"
    lines = ("# listening to yard", '{"subject": "hall", "parameters": {"celsius": 35.5}}', "# not")
    path.write_text("\n".join(lines), "utf-8")
    done = fes(monkeypatch, capsys, "test", "celsius > 30", str(path))
    assert done[:2] == (0, "2: true hall\n1 accepted\n")


def test_test_reads_selectors_and_fails_where_nothing_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text('{"subject": "Speed", "parameters": {"rate": "fast"}}\n')
    text = "NOT (rate > 70)"
    assert fes(monkeypatch, capsys, "test", text, str(file))[:2] == (
        1,
        "1: unknown Speed\n1:   rate > 70 is unknown: rate is the string 'fast'\n0 accepted\n",
    )
    assert fes(monkeypatch, capsys, "test", "--selector", text, str(file))[0] == 0


@pytest.mark.parametrize(
    ("wider", "narrower", "status", "told"),
    [
        ("rate > 1", "rate > 2", 0, "covers\n"),
        ("rate > 2", "rate > 1", 1, "does not cover, as far as can be seen\nthe second covers"),
        ("rate > 1", "1 < rate", 0, "covers\nboth accept the same events\n"),
        ("rate > 1", "zone > 1", 1, "does not cover"),
    ],
)
def test_covers_answers_by_its_status_too(
    wider: str,
    narrower: str,
    status: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = fes(monkeypatch, capsys, "covers", wider, narrower)
    assert code == status
    assert out.startswith(told)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["explain", "rate >> 3"], 'expected a value, found ">"'),
        (["covers", "rate > 3", "a IS 3"], "expected NULL"),
        (["test", "rate > 3", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
        (["explain", "rate > 3", "--federation", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_a_mistake_ends_with_status_2(
    arguments: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, _, error = fes(monkeypatch, capsys, *arguments)
    assert status == 2
    assert told in error


def test_a_line_that_is_too_long_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text(f'{"x" * (2 * MAX_LINE_BYTES)}\n{{"subject": "Speed"}}\n')
    status, out, _ = fes(monkeypatch, capsys, "test", "subject = 'Speed'", str(events))
    assert status == 0
    told, *rest = out.splitlines()
    assert told.startswith("1: not an event")
    assert rest == ["2: true Speed", "1 accepted"]


def test_nothing_is_explained_where_the_federation_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = str(tmp_path / "absent.yaml")
    status, out, _ = fes(monkeypatch, capsys, "explain", "--federation", file, "a = 1")
    assert (status, out) == (2, "")

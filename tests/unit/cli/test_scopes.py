"""`fes scopes`: what an administrator sees."""

import io
import json
from argparse import ArgumentParser
from pathlib import Path
from xml.etree import ElementTree as ET

import fes.cli.client as client_module
import httpx
import pytest
from fes.cli import scopes

ROOT = Path(__file__).parents[3]
MARKET = ROOT / "scenarios/stock-market/src/stock_market/federation.yaml"


def run(*words: str) -> tuple[int, str]:
    parser = ArgumentParser()
    scopes.add_parser(parser.add_subparsers())
    out = io.StringIO()
    options = parser.parse_args(["scopes", *words, "--federation", str(MARKET)])
    return scopes.run(options, {}, out), out.getvalue()


def test_show_is_a_tree() -> None:
    status, text = run("show")
    assert status == 0
    lines = text.splitlines()
    assert lines[0] == "M1 []"
    assert any(line.endswith("siena-me1") and line.startswith("        ") for line in lines)


def test_show_has_the_members_of_each_scope_once() -> None:
    lines = [line.strip() for line in run("show")[1].splitlines()]
    assert lines.count("siena-me1") == 1
    assert lines.count("TF (as above)") == 2


@pytest.mark.parametrize(
    ("words", "method", "path", "body"),
    [
        (("put", "P/Q", '{"input": []}'), "PUT", "P%2FQ", {"input": []}),
        (("set", "P", '{"input": null}'), "PATCH", "P", {"input": None}),
        (("end", "P"), "DELETE", "P", None),
        (("join", "P", "a"), "PUT", "P/members/a", {}),
        (("leave", "P", "a"), "DELETE", "P/members/a", None),
    ],
)
def test_a_change_is_sent_to_the_gateway(
    words: tuple[str, ...],
    method: str,
    path: str,
    body: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[object] = []

    def answer(*request: object, **_: object) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={"change": 1})

    monkeypatch.setattr(client_module, "ask", answer)
    parser = ArgumentParser()
    scopes.add_parser(parser.add_subparsers())
    out = io.StringIO()
    options = parser.parse_args(["scopes", *words, "--url", "http://g"])
    assert scopes.run(options, {}, out) == 0
    assert json.loads(out.getvalue()) == {"change": 1}
    assert sent == [(method, f"http://g/v1/scopes/{path}", body)]


def test_a_change_is_sent_to_the_gateway_that_orders_whichever_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[object, ...]] = []

    def answer(*request: object, **_: object) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={"change": 1, "orders": "g1"})

    monkeypatch.setattr(client_module, "ask", answer)
    gateways = {name: {"url": f"http://{name}"} for name in ("g1", "g2")}
    (tmp_path / "endpoints.json").write_text(json.dumps({"gateways": gateways}))
    parser = ArgumentParser()
    scopes.add_parser(parser.add_subparsers())
    words = ["scopes", "end", "P", "--gateway", "g2", "--run", str(tmp_path)]
    assert scopes.run(parser.parse_args(words), {}, io.StringIO()) == 0
    assert sent == [
        ("GET", "http://g2/v1/scopes?limit=1", None),
        ("DELETE", "http://g1/v1/scopes/P", None),
    ]


def test_explain_names_each_path_and_its_checks() -> None:
    status, text = run("explain", "siena-c1", "siena-me1")
    assert status == 0
    assert "siena-c1 > C1 > TF > Engines > siena-me1" in text
    assert "down TF in C1: input (subject = 'Order' AND number > 0)" in text


@pytest.mark.parametrize(
    ("publisher", "consumer", "event", "expected"),
    [
        ("siena-me1", "siena-c4", "Quote", "not visible to one another"),
        ("siena-me1", "cns-c3", "OrderBook", "blocked by the output interface of TF in Prof"),
        ("nobody", "cns-c3", "Quote", "unknown component or scope: nobody"),
    ],
)
def test_explain_names_the_edge_or_filter(
    publisher: str, consumer: str, event: str, expected: str
) -> None:
    told = f'{{"subject":"{event}","parameters":{{}},"attributes":{{}}}}'
    status, text = run("explain", publisher, consumer, "--event", told)
    assert status == 1
    assert expected in text


def test_check_has_the_status_of_validate() -> None:
    assert run("check")[0] == 0


def test_the_picture_is_svg_with_every_node(tmp_path: Path) -> None:
    file = tmp_path / "scopes.svg"
    assert run("picture", "-o", str(file))[0] == 0
    root = ET.fromstring(file.read_text("utf-8"))  # noqa: S314 - ours
    names = {each.text for each in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"M1", "TF", "siena-c1", "cns-db"} <= names
    drawn = (ROOT / "docs/pictures/stock-market.svg").read_text("utf-8")
    assert drawn == file.read_text("utf-8")

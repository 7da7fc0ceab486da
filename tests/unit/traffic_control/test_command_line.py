"""The command line of traffic-control."""

import json
from pathlib import Path

import httpx
import pytest
from traffic_control import settings, talk
from traffic_control.__main__ import main
from traffic_control.errors import AwayError, InputError


def test_serve_has_defaults_and_variables() -> None:
    options = settings.read(["serve"], {"TRAFFIC_CONTROL_PORT": "9"})
    assert (options.run, options.host, options.port) == (Path("runs/latest"), "127.0.0.1", 9)
    assert (options.renew_s, options.lease_s) == (30.0, 90.0)
    assert settings.read(["serve", "--port", "7"], {"TRAFFIC_CONTROL_PORT": "9"}).port == 7


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ([], "required"),
        (["serve", "--port", "x"], "--port"),
        (["serve", "--port", "70000"], "'70000' is not a port"),
        (["serve", "--renew-s", "0"], "--renew-s"),
        (["serve", "--renew-s", "90"], "--lease-s must be longer"),
        (["set", "M01", "nan"], "is not a limit"),
        (["set", "M01", "fast"], "limit"),
        (["set", "M01"], "limit"),
        (["other"], "other"),
    ],
)
def test_a_bad_option_ends_with_status_2_and_one_line(
    arguments: list[str], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert fault in told
    assert told.count("\n") == 1


def test_a_run_that_is_not_there_ends_with_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--run", str(tmp_path)]) == 2
    assert "federation.yaml" in capsys.readouterr().err


def test_nobody_running_ends_with_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["limits", "--run", str(tmp_path)]) == 1
    assert "use --url" in capsys.readouterr().err
    assert main(["limits", "--url", "http://127.0.0.1:9"]) == 1
    assert main(["limits", "--url", "nonsense"]) == 1


class Replies:
    """Answers instead of a running traffic-control."""

    def __init__(self, status: int, content: object) -> None:
        self.status = status
        self.content = content
        self.asked: list[tuple[str, str, bytes]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append((request.method, request.url.raw_path.decode(), request.content))
        return httpx.Response(self.status, json=self.content)


def answer(monkeypatch: pytest.MonkeyPatch, status: int, content: object) -> Replies:
    """Have the command line's requests answered."""
    replies = Replies(status, content)
    client = httpx.Client

    def make(**_: object) -> httpx.Client:
        return client(transport=httpx.MockTransport(replies))

    monkeypatch.setattr("httpx.Client", make)
    return replies


def test_limits_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "traffic-control.json").write_text(json.dumps({"url": "http://city:1", "pid": 1}))
    rows = [
        {"monitor": "M1", "limit_kmh": 70.0, "state": "applied"},
        {"monitor": "M10", "limit_kmh": 62.5, "state": "pending"},
    ]
    replies = answer(monkeypatch, 200, rows)
    assert main(["limits", "--run", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "M1   70 km/h  applied\nM10  62.5 km/h  pending\n"
    assert replies.asked[0][:2] == ("GET", "/v1/limits")


def test_a_limit_is_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = {"monitor": "M/1", "limit_kmh": 80.0, "requests": ["o/1/1"]}
    replies = answer(monkeypatch, 202, content)
    assert main(["set", "M/1", "80", "--url", "http://city/"]) == 0
    assert capsys.readouterr().out == "M/1  80 km/h  pending, request o/1/1\n"
    method, path, body = replies.asked[0]
    assert (method, path, json.loads(body)) == ("PUT", "/v1/limits/M%2F1", {"limit_kmh": 80.0})


@pytest.mark.parametrize(
    ("status", "kind"), [(404, InputError), (422, InputError), (503, AwayError)]
)
def test_a_refusal_tells_its_reason(
    monkeypatch: pytest.MonkeyPatch, status: int, kind: type[Exception]
) -> None:
    answer(monkeypatch, status, {"detail": "the reason"})
    with pytest.raises(kind, match="the reason"):
        talk.set_limit("http://city", "M01", 80.0)

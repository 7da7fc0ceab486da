"""`fes inject` and the lists: what a person may get wrong."""

import sys
from pathlib import Path

import pytest
from fes.cli.main import main

INJECT = ["inject", "publication", "--source", "a", "--dist-list", "b"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([*INJECT, "--url", "http://127.0.0.1:1", "--event", "{"], "not JSON"),
        ([*INJECT, "--url", "http://[", "--event", "{}"], "http://["),
        (["subscriptions", "--url", "http://127.0.0.1:1"], "127.0.0.1:1"),
        (["names", "status", "--url", "http://127.0.0.1:1"], "127.0.0.1:1/v1/status: "),
        (["names", "lookup", "--url", "", "a/b?c"], "/v1/names/a%2Fb%3Fc: "),
        (["names", "add", "--url", "ftp://x", "a", "b"], "ftp://x/v1/names/a/b: "),
        (["domains", "list", "--url", "http://["], "http://["),
        (["subscriptions", "--run", "nowhere", "--gateway", "g"], "no federation runs there"),
    ],
)
def test_a_mistake_ends_with_status_2_and_one_line(
    arguments: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["fes", *arguments])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert "unexpected" not in said


@pytest.mark.parametrize("command", ["subscriptions --gateway g", "kill g"])
@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"null",
        b'{"gateways": []}',
        b'{"gateways": {"g": {"url": 1}}}',
        b'{"processes": {"g": -1}}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_a_file_of_endpoints_that_is_none_is_told_in_one_line(
    command: str,
    content: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "endpoints.json").write_bytes(content)
    monkeypatch.setattr(sys, "argv", ["fes", *command.split(), "--run", str(tmp_path)])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    assert "it is not what `fes run` writes" in capsys.readouterr().err

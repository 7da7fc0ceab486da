"""`fes inject` and the lists: what a person may get wrong."""

import sys

import pytest
from fes.cli.main import main

INJECT = ["inject", "publication", "--source", "a", "--dist-list", "b"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([*INJECT, "--url", "http://127.0.0.1:1", "--event", "{"], "not JSON"),
        ([*INJECT, "--url", "http://[", "--event", "{}"], "http://["),
        (["subscriptions", "--url", "http://127.0.0.1:1"], "127.0.0.1:1"),
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

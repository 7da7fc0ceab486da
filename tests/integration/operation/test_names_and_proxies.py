"""Any legal name works over REST, on the command line and in files; no proxy comes between."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from fes.testing.eventually import eventually
from support.processes.ending import Command, nothing_left

READY_S = 90.0
ODD = "g west/depot #1 100%"
GATEWAYS = (ODD, "zürich", "-dash", "...", "😍;&=+%2F", "a" * 100 + "/ä")
BROKER = "left/one #2"

FILE = {
    "version": 1,
    "system": "odd names",
    "brokers": {
        BROKER: {"kind": "nats", "cluster": "c one/two"},
        "right; {x}": {"kind": "nats", "cluster": "c one/two"},
    },
    "event_services": {
        "cns west/depot": {"kind": "cns", "brokers": [BROKER], "settings": {"channel": "west"}},
        "siena 😍 ost": {
            "kind": "siena",
            "brokers": ["right; {x}", BROKER],
            "settings": {"index": "FES_Subject"},
        },
    },
    "gateways": {
        name: {"adapters": {"cns west/depot": {}, "siena 😍 ost": {}}} for name in GATEWAYS
    },
    "applications": {"app / ä": {"command": ["sh", "-c", "echo here; sleep 600"]}},
}

WEB = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "WS_PROXY", "ws_proxy")
ALL = ("ALL_PROXY", "all_proxy")
PROXIES = {
    **dict.fromkeys(WEB, "http://127.0.0.1:9"),
    **dict.fromkeys(ALL, "socks5://127.0.0.1:9"),
    "NO_PROXY": "",
}


def fes(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fes.cli.main", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.timeout(300)
async def test_any_legal_name_works_behind_any_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in PROXIES.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "file.yaml").write_text(json.dumps(FILE, ensure_ascii=False))
    assert fes(tmp_path, "validate", "file.yaml").returncode == 0
    apart = f"--own-process={ODD}"
    adapter = f"--own-process={GATEWAYS[2]}.siena 😍 ost"
    words = ("fes.cli.main", "run", "file.yaml", "--run", "run", apart, adapter)
    with closing(Command(words, tmp_path)) as command:
        await eventually(lambda: "application: app / ä" in command.said, within_s=READY_S)
        for gateway in GATEWAYS:
            shown = fes(tmp_path, "adapters", "--run", "run", f"--gateway={gateway}")
            assert shown.returncode == 0, shown.stderr
            services = {json.loads(line)["service"] for line in shown.stdout.splitlines()}
            assert services == {"cns west/depot", "siena 😍 ost"}
        injected = fes(
            tmp_path,
            *("inject", "subscription", "--run", "run", f"--gateway={ODD}", "--filter", ""),
            *("--source", "siena 😍 ost", "--dist-list", "cns west/depot"),
        )
        assert injected.returncode == 0, injected.stderr
        logs = [path.name for path in (tmp_path / "run/logs").glob("*.log")]
        assert len([name for name in logs if "west%2Fdepot" in name]) >= 1
        assert "app %2F %C3%A4.log" in logs
        assert not any(name.startswith(".") for name in logs)
        await command.end("SIGTERM")
        await nothing_left(command, set())


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1"])
def test_who_asks_a_gateway_that_is_away_reads_no_word_of_a_proxy(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in PROXIES.items():
        monkeypatch.setenv(name, value)
    told = fes(tmp_path, "subscriptions", "--url", url)
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
    assert "socks" not in told.stderr.lower()
    assert f"no gateway answers at {url}" in told.stderr
    assert os.environ["HTTP_PROXY"] == "http://127.0.0.1:9"

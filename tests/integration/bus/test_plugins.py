"""Filters that are code: signed ones run, and those that misbehave harm nobody."""

import http.server
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import nacl.signing
import pytest
from eventservices.bus.filters import Code, Subject
from eventservices.bus.plugins import PluginError, PluginHost, PluginLimits

KEY = nacl.signing.SigningKey.generate()
PATIENT = PluginLimits(call_s=2.0)
EVENT = Subject({"n": 3}, {}, "ann", "desk")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        del words


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    folder = tmp_path / "repository"
    folder.mkdir()
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    server.server_close()
    thread.join()


def put(folder: Path, name: str, source: str, key: nacl.signing.SigningKey = KEY) -> None:
    (folder / name).write_text(source)
    (folder / f"{name}.sig").write_bytes(key.sign(source.encode()).signature)


def hosted(url: str, cache: Path | None = None, limits: PluginLimits = PATIENT) -> PluginHost:
    return PluginHost(url, [bytes(KEY.verify_key)], cache, limits)


async def test_a_signed_plug_in_decides_with_its_state(
    repository: tuple[str, Path], tmp_path: Path
) -> None:
    url, folder = repository
    put(folder, "least", "def passes(v, a, user, device, state): return v['n'] >= state['n']")
    async with hosted(url, tmp_path / "cache") as host:
        code = await host.load("least")
        found = [host.run(Code("least", code.sha256, {"n": n}), EVENT) for n in (3, 4)]
        assert found == [True, False]
        (folder / "least").unlink()
        (folder / "least.sig").unlink()
        assert (await host.load("least")).sha256 == code.sha256  # from the cache


async def test_one_that_is_not_signed_never_runs(repository: tuple[str, Path]) -> None:
    url, folder = repository
    put(folder, "forged", "raise SystemExit", nacl.signing.SigningKey.generate())
    put(folder, "altered", "def passes(*given): return True")
    (folder / "altered").write_text("def passes(*given): return False")
    async with hosted(url) as host:
        for name in ("forged", "altered"):
            with pytest.raises(PluginError, match="signature"):
                await host.load(name)
        with pytest.raises(PluginError, match="404"):
            await host.load("absent")
        with pytest.raises(PluginError, match="name"):
            await host.load("../secret")
        assert host.run(Code("forged", "0" * 64, {}), EVENT) is None
        assert host.counters["not_loaded"] == 1


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("while True: pass", "too slow"),
        ("return bool([0] * (1 << 40))", "ended"),
        ("return bool(open('/etc/passwd').read())", "ended"),
        ("import socket; return bool(socket.socket())", "ended"),
        ("raise ValueError", "ended"),
    ],
)
async def test_one_that_misbehaves_is_ended_and_reported(
    repository: tuple[str, Path], source: str, reason: str
) -> None:
    url, folder = repository
    put(folder, "bad", f"def passes(*given):\n    {source}")
    put(folder, "good", "def passes(*given): return True")
    async with hosted(url) as host:
        bad, good = await host.load("bad"), await host.load("good")
        assert host.run(bad, EVENT) is None
        assert reason in host.failures["bad"]
        assert host.run(bad, EVENT) is None
        assert host.run(good, EVENT) is True
        assert host.counters["ended"] == 1


async def test_one_that_fails_when_it_is_loaded_is_refused(repository: tuple[str, Path]) -> None:
    url, folder = repository
    put(folder, "broken", "open('/etc/passwd')")
    async with hosted(url) as host:
        with pytest.raises(PluginError, match="does not run"):
            await host.load("broken")

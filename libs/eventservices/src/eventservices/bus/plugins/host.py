"""Loads plug-ins from a repository, and runs them within bounds.

A plug-in is a file `NAME` of Python with a function `passes(values, attributes, user, device,
state)`, and beside it `NAME.sig`, its Ed25519 signature. Only what the operator has loaded runs: a
subscription never has a bus fetch anything.

Source:
    Smart-building thesis, sections 4.4.5 and 5.5: filters as code, their classes from a web server.
"""

import asyncio
import hashlib
import logging
import marshal
import os
import re
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import httpx
import nacl.exceptions
import nacl.signing
from serving.loopback import client

from eventservices.bus.errors import BusError
from eventservices.bus.filters import Code, Subject, Truth
from eventservices.bus.plugins import worker

log = logging.getLogger(__name__)

READY_S: Final = 10.0
FETCH_S: Final = 10.0
MOST_BYTES: Final = 256 * 1024
MOST_REQUEST_BYTES: Final = 32 * 1024
"""Largest event for a plug-in; of a larger one its answer is unknown."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}(\.py)?")
_ANSWERS: Final[dict[bytes, Truth]] = {b"1": True, b"0": False, b"?": None}


class PluginError(BusError, ValueError):
    """Raised when a plug-in cannot be loaded: absent, too large, not signed, or not able to run."""


@dataclass(frozen=True, slots=True)
class PluginLimits:
    """What a plug-in may use.

    Attributes:
        memory_bytes: Of its process.
        call_s: Longest time for one event; a plug-in that is slower is ended for good.
    """

    memory_bytes: int = 128 * 1024 * 1024
    call_s: float = 0.015


class PluginHost:
    """Runs the plug-ins of one bus; `run` is `BusOptions.run_code`.

    Args:
        repository: URL of a folder.
        keys: Public keys, 32 bytes each, one of which has to have signed a plug-in.
        cache: Folder of what was fetched; nothing is kept where None.
        limits: See `PluginLimits`.

    Attributes:
        failures: Why plug-ins were ended, by name.
    """

    def __init__(
        self,
        repository: str,
        keys: Sequence[bytes],
        cache: Path | None = None,
        limits: PluginLimits | None = None,
    ) -> None:
        if not repository.startswith(("http://", "https://")):
            raise PluginError(f"repository {repository[:80]!r} is not an HTTP address")
        self._repository = repository.rstrip("/")
        self._keys = [nacl.signing.VerifyKey(key) for key in keys]
        self._cache = cache
        self._limits = limits or PluginLimits()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._names: dict[str, str] = {}
        self.failures: dict[str, str] = {}
        self.counters: Counter[str] = Counter()

    async def load(self, name: str) -> Code:
        """Fetch a plug-in, check its signature, and start it.

        Returns:
            What a filter names it by, without state.

        Raises:
            PluginError: It is absent, too large, not signed by one of the keys, or fails at once.
        """
        if not _NAME.fullmatch(name):
            raise PluginError(f"plug-in {name[:80]!r} has no valid name")
        source = await asyncio.to_thread(self._fetch, name)
        signature = await asyncio.to_thread(self._fetch, f"{name}.sig")
        if not any(_is_signed(key, source, signature) for key in self._keys):
            self.counters["not_signed"] += 1
            raise PluginError(f"plug-in {name}: its signature is by none of the keys")
        digest = hashlib.sha256(source).hexdigest()
        if digest not in self._running:
            self._running[digest] = await asyncio.to_thread(self._start, name, source)
            self._names[digest] = name
        return Code(name, digest, {})

    def run(self, code: Code, subject: Subject) -> Truth:
        """Return whether an event passes; None where that is unknown, or the plug-in was ended."""
        process = self._running.get(code.sha256)
        if process is None:
            self.counters["not_loaded"] += 1
            return None
        try:
            request = marshal.dumps(
                (
                    dict(subject.values),
                    dict(subject.attributes),
                    subject.user,
                    subject.device,
                    code.state,
                )
            )
        except ValueError:
            self.counters["not_given"] += 1
            return None
        if len(request) > MOST_REQUEST_BYTES:
            self.counters["not_given"] += 1
            return None
        self.counters["calls"] += 1
        answer = _exchange(process, request, self._limits.call_s)
        if answer not in _ANSWERS:
            self._end(code.sha256, "it ended" if answer is None else "it was too slow")
            return None
        return _ANSWERS[answer]

    def close(self) -> None:
        """End all plug-ins; idempotent."""
        for digest in list(self._running):
            self._stop(digest)

    async def __aenter__(self) -> Self:
        """Return it."""
        return self

    async def __aexit__(self, *details: object) -> None:
        """End all plug-ins."""
        self.close()

    def _fetch(self, name: str) -> bytes:
        cached = self._cache / name if self._cache else None
        if cached is not None and cached.is_file():
            return cached.read_bytes()
        url = f"{self._repository}/{name}"
        data = bytearray()
        try:
            with client(FETCH_S) as fetching, fetching.stream("GET", url) as response:
                response.raise_for_status()
                for piece in response.iter_bytes():
                    data += piece
                    if len(data) > MOST_BYTES:
                        break
        except httpx.HTTPError as error:
            raise PluginError(f"{url}: {' '.join(str(error).split())[:200]}") from error
        if len(data) > MOST_BYTES:
            raise PluginError(f"{url}: more than {MOST_BYTES} bytes")
        if cached is not None:
            cached.parent.mkdir(parents=True, exist_ok=True)
            cached.write_bytes(data)
        return bytes(data)

    def _start(self, name: str, source: bytes) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", worker.__file__, str(self._limits.memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={},
        )
        if _exchange(process, source, READY_S) != b"r":
            process.kill()
            _close(process)
            raise PluginError(f"plug-in {name} does not run")
        return process

    def _end(self, digest: str, reason: str) -> None:
        name = self._names[digest]
        self.failures[name] = reason
        self.counters["ended"] += 1
        log.warning("plugin_ended", extra={"plugin": name, "reason": reason})
        self._stop(digest)

    def _stop(self, digest: str) -> None:
        process = self._running.pop(digest)
        process.kill()
        _close(process)


def _close(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def _is_signed(key: nacl.signing.VerifyKey, source: bytes, signature: bytes) -> bool:
    try:
        key.verify(source, signature)
    except (nacl.exceptions.BadSignatureError, ValueError, TypeError):
        return False
    return True


def _exchange(process: subprocess.Popen[bytes], request: bytes, limit_s: float) -> bytes | None:
    """Return one byte of answer; b"" where none came in time, None where the process ended."""
    requests, answers = process.stdin, process.stdout
    if requests is None or answers is None:  # it has no pipes: it cannot answer
        return None
    try:
        requests.write(worker.HEAD.pack(len(request)) + request)
    except OSError:
        return None
    ready, _, _ = select.select([answers], [], [], limit_s)
    if not ready:
        return b""
    return os.read(answers.fileno(), 2) or None

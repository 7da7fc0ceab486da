"""What a log has on the disk, and when."""

import asyncio
import os
from pathlib import Path

import pytest
from eventservices.cns.domains.logs import store
from eventservices.cns.domains.logs.attributes import (
    LogFullAction,
    LogQoS,
)
from eventservices.cns.domains.logs.manager import LogManager


async def test_a_reliable_record_is_on_the_disk_when_its_write_returns_or_is_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    log, _ = LogManager(tmp_path).create(LogFullAction.WRAP, 0)
    log.write_records(["not reliable"])
    await log.settle()
    assert len(synced) == 0
    log.set_log_qos(LogQoS.RELIABILITY)
    log.write_records(["reliable"])
    assert len(synced) == 1
    await log.log_event("of a channel")
    assert len(synced) == 1
    await log.settle()
    await log.settle()
    assert len(synced) == 2
    log.set_log_qos(LogQoS.NONE)
    await log.flush()
    assert len(synced) == 3
    log.close()


async def test_the_write_ahead_file_stays_within_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "DUE_PAGES", 20)
    monkeypatch.setattr(store, "MOST_PAGES", 60)
    log, number = LogManager(tmp_path).create(LogFullAction.WRAP, 0)
    ahead = tmp_path / f"{number}.log.sqlite-wal"
    sizes = []
    for _ in range(30):
        for _ in range(10):
            await log.log_event("x" * 2000)
        await log.settle()
        sizes.append(await asyncio.to_thread(lambda: ahead.stat().st_size))
    assert max(sizes) < 60 * 4200
    for _ in range(300):
        log.write_records(["x" * 2000])  # nobody settles
    assert (await asyncio.to_thread(ahead.stat)).st_size < 120 * 4200
    assert log.n_records == 600
    log.close()

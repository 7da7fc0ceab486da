"""The policy service over NATS: decisions for buses and gateways, and reports of changes."""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, Self

import msgspec
from eventservices.bus import BusClient, BusOptions, Event, EventBus, LocalTransport
from eventservices.bus.binding.pool import PoolSettings, WorkerPool
from eventservices.bus.wire.messages import MessageError
from eventservices.bus.wire.policy import PolicyChange, Question, decode_question, subject
from eventservices.bus.wire.subjects import Subjects
from eventservices.ending import ended
from eventservices.errors import EventServiceError
from eventservices.lasting import lasting
from eventservices.lifetime import Opening
from eventservices.natslink import LinkOptions, NatsLink
from serving.clocks import wall_us

from fes_policy.engine import Engine, Explained
from fes_policy.rules import Rules

log = logging.getLogger(__name__)

LIFE_S: Final = 0.25
"""Between two signs of life: what a bus missed is found out within it."""

MOST_LOG_BYTES: Final = 64 * 1024 * 1024


class DecisionLog:
    """Writes each decision with its rules, one line of JSON; the file before it is kept.

    Args:
        path: Of the file; nothing is written where None.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file = None if path is None else path.open("a", encoding="utf-8")

    def write(self, question: Question, explained: Explained, now_us: int) -> None:
        """Write a decision."""
        if self._file is None or self._path is None:
            return
        line = {
            "time_us": now_us,
            **msgspec.structs.asdict(question),
            "permit": explained.decision.permit,
            "rules": [each.id for each in explained.rules],
            "place": explained.context.get("place", ""),
        }
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        if self._file.tell() > MOST_LOG_BYTES:
            self._file.close()
            self._path.replace(self._path.with_suffix(self._path.suffix + ".1"))
            self._file = self._path.open("a", encoding="utf-8")

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


class PolicyServer(Opening):
    """The policy service.

    Args:
        urls: Addresses of equal NATS servers.
        building: Identifier of the building.
        engine: That decides.
        log_path: File of decisions; none is written where None.
    """

    def __init__(
        self, urls: Sequence[str], building: str, engine: Engine, log_path: Path | None = None
    ) -> None:
        self.engine = engine
        self.counters: Counter[str] = Counter()
        self._building = building
        self._link = NatsLink(urls, LinkOptions(name=f"evbus/{building}/policy"))
        self._bus = EventBus(urls, building, "policy", BusOptions())
        self._client = BusClient(LocalTransport(self._bus, "policy"), auto_clean_up=False)
        self._answers = WorkerPool("policy", PoolSettings(least=2, most=4))
        self._log_path = log_path
        self._log = DecisionLog(None)
        self._generation = 0
        self._life: asyncio.Task[None] | None = None

    async def open(self) -> Self:
        """Decide from now on, and follow the sightings.

        Raises:
            NotConnectedError: No NATS server answered in time.
            OSError: The log cannot be written.
        """
        self._log = DecisionLog(self._log_path)
        self._generation = wall_us()
        await self._link.open()
        await self._bus.open()
        await self._client.open()
        await self._answers.__aenter__()
        await self._client.subscribe(self.engine.building.sighting, self._sighted)
        await self._link.listen(subject(self._building), self._receive)
        self._life = asyncio.create_task(lasting(self._live), name="policy-life")
        await self._changed("")
        await self._link.flush()
        return self

    async def close(self) -> None:
        """End; buses grant nothing new, and what runs ends with its decisions."""
        await ended(self._life)
        await self._answers.__aexit__(None, None, None)
        await self._client.close()
        await self._bus.close()
        await self._link.close()
        self._log.close()

    async def replace(self, rules: Rules) -> None:
        """Decide by other rules from now on; buses query again."""
        self.engine.rules = rules
        await self._changed("")

    def explain(self, question: Question) -> Explained:
        """Return a decision and what led to it."""
        return self.engine.decide(question, wall_us())

    def _receive(self, subject_: str, payload: bytes, headers: bytes, reply: str) -> None:
        del subject_, headers
        try:
            question = decode_question(payload)
        except MessageError as error:
            self.counters["malformed"] += 1
            log.warning("question_refused", extra={"reason": str(error)[:200]})
            return
        if reply:
            self._answers.put(reply, partial(self._answer, question, reply))

    async def _answer(self, question: Question, reply: str) -> None:
        now_us = wall_us()
        explained = self.engine.decide(question, now_us)
        self.counters["permitted" if explained.decision.permit else "refused"] += 1
        self._log.write(question, explained, now_us)
        await self._link.publish(reply, msgspec.msgpack.encode(explained.decision), waits=False)

    async def _sighted(self, event: Event) -> None:
        station, badge = event.values.get("station"), event.values.get("badge")
        if isinstance(badge, bytes):
            badge = badge.hex()
        if not isinstance(station, str) or not isinstance(badge, str):
            self.counters["malformed"] += 1
            return
        moved = self.engine.whereabouts.sighted(station, badge, event.stamp.time_us)
        if moved is not None:
            self.counters["moved"] += 1
            await self._changed(moved)

    async def _changed(self, user: str) -> None:
        self._generation += 1
        await self._report(user)

    async def _report(self, user: str) -> None:
        change = PolicyChange(self._generation, user)
        try:
            await self._link.publish(
                Subjects(self._building).policy(), msgspec.msgpack.encode(change), waits=False
            )
        except EventServiceError as error:
            # The next sign of life has the new generation.
            log.warning("change_not_reported", extra={"reason": str(error)[:200]})

    async def _live(self) -> None:
        while True:
            await asyncio.sleep(LIFE_S)
            await self._report("")

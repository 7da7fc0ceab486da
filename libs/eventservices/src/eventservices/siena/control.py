"""The control side of a connection: who else is there, and what their clients declared."""

import asyncio
import logging
import time
from collections.abc import Sequence

from serving.clocks import wall_us

from eventservices.attention import Attention
from eventservices.ending import ended
from eventservices.errors import EventServiceError, MalformedError
from eventservices.lasting import lasting
from eventservices.natslink import NatsLink
from eventservices.siena import presence
from eventservices.siena.agreement import Agreement
from eventservices.siena.counters import Aside, Counters
from eventservices.siena.options import Options
from eventservices.siena.peers import Peers
from eventservices.siena.presence import (
    Ack,
    Bye,
    Change,
    Digest,
    Entry,
    Message,
    Probe,
    Query,
    State,
    Who,
)
from eventservices.siena.proof import Proof
from eventservices.siena.roster import Roster
from eventservices.siena.seen import Observer, seen_of, withdrawal
from eventservices.siena.subjects import Subjects
from eventservices.siena.witness import Witness

log = logging.getLogger(__name__)

JOIN_QUIET_S = 0.05
MAX_JOIN_WAITS = 20
MAX_REPLIES = 256


class Control:
    """Announces what one connection's parties declare, and listens to the other connections.

    Args:
        link: The connection.
        subjects: Native subjects of the service.
        name: Identifier of the connection, never used twice.
        agreement: What the others must agree on.
        options: Times and bounds.
        counters: Where to count.
        aside: Where malformed messages go.

    Attributes:
        roster: What our own parties declared.
        peers: The other connections.
        proof: Proves that subscriptions are active.
        settled: Whether all subscriptions were proved to be active since the last connection.
        replies_dropped: Answers not sent because too many were requested at once.
    """

    def __init__(
        self,
        link: NatsLink,
        subjects: Subjects,
        name: str,
        *,
        agreement: Agreement,
        options: Options,
        counters: Counters,
        aside: Aside,
    ) -> None:
        self._link = link
        self._subjects = subjects
        self._name = name
        self._agreement = agreement
        self._options = options
        self._counters = counters
        self._aside = aside
        self._started_us = wall_us()
        self._witnesses: list[Witness] = []
        self._observers: list[Observer] = []
        self._own_observers: list[Observer] = []
        self._replies: asyncio.Queue[tuple[str, Message]] = asyncio.Queue(MAX_REPLIES)
        self._tasks: list[asyncio.Task[None]] = []
        self._joining = True
        self._heard = asyncio.Event()
        self.roster = Roster()
        self.peers = Peers(options, self._observers)
        self.proof = Proof(
            link, self._witnesses, self.peers, ask=self._ask, timeout_s=options.in_force_timeout_s
        )
        self._witnesses.extend(self._make_witnesses())
        self.settled = False
        self.replies_dropped = 0

    @property
    def who(self) -> Who:
        """This connection, as it introduces itself."""
        return Who(
            self._name,
            self._link.server_id,
            self._subjects.index,
            self._started_us,
            self.roster.version,
            self._agreement.semantics,
        )

    async def open(self) -> None:
        """Join the service: query the other connections, and be ready to answer.

        Raises:
            IndexMismatchError: The others use another index attribute.
            SemanticsMismatchError: The others use other semantics.
            NotConnectedError: The broker went away.
        """
        await self._link.listen(self._subjects.control, self._on_message)
        await self._link.listen(self._subjects.inbox(self._name), self._on_message)
        self._tasks.append(asyncio.create_task(lasting(self._answer), name="siena-answers"))
        wait_s = self._options.witness_wait_s
        await asyncio.gather(*(witness.open(wait_s) for witness in self._witnesses))
        await self.proof.wait()
        await self.send(Query(self.who))
        await self._hear_others()
        self._joining = False
        self.settled = True
        self.check()
        self._link.on_connected.append(self._on_connected)
        self._tasks.append(asyncio.create_task(lasting(self._beat), name="siena-presence"))

    async def close(self) -> None:
        """Leave the service."""
        await ended(*self._tasks)
        if self._link.connected and not self._joining:
            try:
                await self.send(Bye(self.who))
            except EventServiceError as error:
                log.info("bye_not_sent", extra={"error": str(error)})
        await asyncio.gather(*(witness.close() for witness in self._witnesses))

    def check(self) -> None:
        """Raise the conflict, where there is one.

        Raises:
            IndexMismatchError: Others use another index attribute.
            SemanticsMismatchError: Others use other semantics.
        """
        self._agreement.check()

    async def announce(self, added: Sequence[Entry] = (), removed: Sequence[Entry] = ()) -> None:
        """Report the last change of the roster to other connections and to our own observers.

        Nothing may be awaited between that change and this call.
        """
        message = Change(self.who, tuple(added), tuple(removed))
        for observer in tuple(self._own_observers):
            for entry in removed:
                observer(withdrawal(seen_of(entry, self._name)))
            for entry in added:
                observer(seen_of(entry, self._name))
        await self.send(message)

    def observe(self, observer: Observer, *, own: bool) -> None:
        """Report to an observer what is declared now, and each change from now on."""
        self._observers.append(observer)
        for seen in self.peers.current():
            observer(seen)
        if own:
            self._own_observers.append(observer)
            for entry in self.roster.entries:
                observer(seen_of(entry, self._name))

    def ignore(self, observer: Observer) -> None:
        """Stop reporting to an observer."""
        for observers in (self._observers, self._own_observers):
            if observer in observers:
                observers.remove(observer)

    async def send(self, message: Message, to: str | None = None) -> None:
        """Send a control message to one connection, or to all where `to` is None."""
        subject = self._subjects.control if to is None else self._subjects.inbox(to)
        await self._link.publish(subject, presence.encode(message))

    def _make_witnesses(self) -> list[Witness]:
        if len(self._link.urls) < 2:
            return []
        names = [f"{self._name}-w{number}" for number in range(len(self._link.urls))]
        return [
            Witness(
                self._link.to(url, self._options.link),
                name,
                self._subjects.inbox(name),
                answered=self.proof.answered,
            )
            for url, name in zip(self._link.urls, names, strict=True)
        ]

    async def _ask(self, name: str, number: int) -> None:
        await self.send(Probe(self.who, number), name)

    async def _hear_others(self) -> None:
        """Wait for the first answer, then until none has come for a moment."""
        wait_s = self._options.join_wait_s
        for _ in range(MAX_JOIN_WAITS):
            try:
                async with asyncio.timeout(wait_s):
                    await self._heard.wait()
            except TimeoutError:
                return
            self._heard.clear()
            wait_s = JOIN_QUIET_S

    def _on_message(self, subject: str, payload: bytes, headers: bytes, _reply: str) -> None:
        try:
            message = presence.decode(payload)
        except MalformedError as error:
            self._aside.put(subject, headers, payload, str(error))
            return
        if message.who.connection == self._name:
            return
        if isinstance(message, Ack):
            self.proof.answered(message.who.server, message.number)
            return
        if isinstance(message, Probe):
            self._reply_to(message.who.connection, Ack(self.who, message.number))
            return
        if self._agreement.hear(message, self.who, joining=self._joining):
            self._heard.set()
        if self.peers.hear(message, time.monotonic()):
            self._reply_to(message.who.connection, Query(self.who))
        if isinstance(message, Query):
            for part in presence.state_parts(self.who, self.roster.entries):
                self._reply_to(message.who.connection, part)
        elif isinstance(message, State):
            self._heard.set()

    def _reply_to(self, name: str, message: Message) -> None:
        try:
            self._replies.put_nowait((name, message))
        except asyncio.QueueFull:
            self.replies_dropped += 1  # the other connection queries again

    async def _answer(self) -> None:
        while True:
            name, message = await self._replies.get()
            try:
                await self.send(message, name)
            except EventServiceError as error:
                log.info("answer_not_sent", extra={"error": str(error)})

    async def _beat(self) -> None:
        attention = Attention(self._options.digest_interval_s)
        while True:
            now_s = time.monotonic()
            if attention.hears(now_s, ready=self._link.connected):
                self.peers.sweep(now_s)
            else:
                self.peers.spare(now_s)
            await asyncio.sleep(self._options.digest_interval_s)
            await self._introduce(Digest(self.who))

    async def _introduce(self, message: Message) -> None:
        try:
            await self.send(message)
        except EventServiceError as error:
            log.info("presence_not_sent", extra={"error": str(error)})

    def _on_connected(self) -> None:
        """Come back at another server, perhaps after having missed much."""
        self.peers.spare(time.monotonic())
        self.settled = False
        self._tasks = [task for task in self._tasks if not task.done()]
        for task in self._tasks:
            if task.get_name() == "siena-return":
                task.cancel()  # what it proves was of the connection before
        self._tasks.append(asyncio.create_task(lasting(self._return), name="siena-return"))

    async def _return(self) -> None:
        await self._introduce(Query(self.who))
        try:
            self._counters.unproved += len(await self.proof.wait())
            self.settled = True
        except EventServiceError as error:
            log.info("return_not_proved", extra={"error": str(error)})

"""The adapter's only native consumer: its filter object serves all subscriptions together."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from eventservices.cns import ALL_TYPES, EventChannel, EventType
from eventservices.cns.etcl import Filter
from eventservices.cns.etcl.table import MAX_CONSTRAINTS, TypedText, within_limits
from eventservices.cns.event_type import canonical
from eventservices.cns.intake import (
    COUNTED,
    HoldingIntake,
    Intake,
    PullIntake,
    PushIntake,
    Take,
)
from eventservices.cns.notices import MAX_TYPES

TOO_MANY: Final = (
    f"more than {MAX_TYPES} event types or {MAX_CONSTRAINTS} constraints are subscribed to: "
    "all events are received"
)

KEPT: Final = "persistent events wait for the adapter, which applies the filter itself"

_ALWAYS: Final = -1
"""Number of the types that are always consumed."""


@dataclass(frozen=True, slots=True)
class _Held:
    """The part of one subscription in the channel.

    Attributes:
        constraints: Ids of its constraints in the filter object.
        is_everything: Whether every event is received, since there was no room for constraints.
    """

    constraints: tuple[int, ...] = ()
    is_everything: bool = False

    def __bool__(self) -> bool:
        return bool(self.constraints or self.is_everything)


class Consumer:
    """Consumes the events of a channel while anything is subscribed to.

    Several subscriptions share it, so that an event is received once: it passes where one of the
    constraints of any of them is true. A native consumer without constraints would receive every
    event; so there is none as long as nothing is subscribed to.

    Args:
        channel: The channel.
        take: Accepts the events.
        always: Event types that are consumed besides those of subscriptions.
        pull: Whether events are pulled; otherwise the channel pushes them.
        durable: Name under which persistent events wait for it until they are answered; then the
            channel filters nothing, since it would discard what no subscription needs yet. Empty
            where no event is kept.
    """

    def __init__(
        self,
        channel: EventChannel,
        take: Take,
        always: frozenset[EventType],
        *,
        pull: bool = False,
        durable: str = "",
    ) -> None:
        self._channel = channel
        self._take = take
        self._always = always
        self._durable = durable
        self._pull = pull
        self._filter = Filter()
        self._held: dict[int, _Held] = {}
        self._hears_all = False
        self._intake: Intake | None = None
        self._past: Counter[str] = Counter(dict.fromkeys(COUNTED, 0))
        self._changing = asyncio.Lock()

    @property
    def counters(self) -> dict[str, int]:
        """Counters of events, and the number of constraints, by name."""
        now = self._intake.counted if self._intake else Counter[str]()
        counted = {name: self._past[name] + now[name] for name in COUNTED}
        constraints = sum(len(held.constraints) for held in self._held.values())
        return counted | {"constraints": constraints, "constraint_failed": self._filter.failed}

    @property
    def failure(self) -> str:
        """Why no event is received now; empty while they are."""
        return self._intake.failure if self._intake else ""

    async def open(self) -> None:
        """Begin to consume the types that are always consumed.

        Raises:
            EventServiceError: The broker is away.
        """
        if self._always:
            await self.add(_ALWAYS, [(self._always, "")])

    async def add(self, number: int, expressions: Iterable[TypedText]) -> tuple[str, ...]:
        """Subscribe; a subscription of the same number is replaced.

        Args:
            number: Identifies the subscription.
            expressions: Constraints of which one must be true for an event.

        Returns:
            Descriptions of what is received beyond them.

        Raises:
            EventServiceError: The broker is away, or does not accept a type; nothing was changed.
        """
        async with self._changing:
            before = self._held.pop(number, _Held())
            self._held[number] = held = self._make([*within_limits(expressions)])
            try:
                await self._settle()
            except BaseException:
                self._held[number] = before
                self._forget(held)
                raise
            self._forget(before)
            await self._settle()
        if not held.is_everything:
            return ()
        return (KEPT,) if self._durable else (TOO_MANY,)

    async def remove(self, number: int) -> None:
        """Unsubscribe; idempotent.

        Raises:
            EventServiceError: The broker is away.
        """
        async with self._changing:
            held = self._held.pop(number, _Held())
            await self._settle()
            self._forget(held)

    def _make(self, expressions: list[TypedText]) -> _Held:
        if self._durable:
            return _Held(is_everything=bool(expressions))
        types = {canonical(each) for named, _ in expressions for each in named}
        constraints = sum(len(held.constraints) for held in self._held.values())
        if (
            len(types | self._filter.event_types) > MAX_TYPES
            or constraints + len(expressions) > MAX_CONSTRAINTS
        ):
            return _Held(is_everything=True)
        made = self._filter.add_constraints(expressions)
        return _Held(tuple(info.constraint_id for info in made))

    def _forget(self, held: _Held) -> None:
        if held.constraints:
            self._filter.modify_constraints(held.constraints, ())

    async def _settle(self) -> None:
        """Create or end the native consumer, and receive everything, as subscriptions need now."""
        wants_all = any(held.is_everything for held in self._held.values())
        if not any(self._held.values()):
            await self._end()
        elif self._intake is None:
            await self._begin()
        if self._intake is not None and wants_all != self._hears_all:
            change = ([ALL_TYPES], []) if wants_all else ([], [ALL_TYPES])
            await self._intake.proxy.subscription_change(*change)
            self._hears_all = wants_all

    async def _begin(self) -> None:
        intake = self._new_intake()
        await intake.open(self._filter)
        self._intake = intake

    def _new_intake(self) -> Intake:
        if self._durable:
            return HoldingIntake(self._channel, self._take, self._durable)
        return (PullIntake if self._pull else PushIntake)(self._channel, self._take)

    async def _end(self) -> None:
        intake, self._intake = self._intake, None
        self._hears_all = False
        if intake is not None:
            self._past += intake.counted
            await intake.close()

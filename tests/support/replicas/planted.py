"""Faults to plant in what replicas and adapters do: each takes one of the rules away.

A fault is (where it is, its name there, what stands in its place), as in `support.faults.core`.
"""

import itertools
from collections.abc import Iterable
from typing import Any, cast
from zlib import crc32

from fes.adapter.inbound.acknowledgements import Acknowledgements
from fes.adapter.outbound.confirmations import Confirmations
from fes.adapter.replicas import Multiplexer
from fes.adapter.replicas.membership import Place, Views
from fes.adapter.replicas.merged_state import Wants
from fes.adapter.replicas.waiting import Waiting
from fes.gateway import GatewayCore, delivery
from fes.gateway.custody.succession import Succession
from fes.gateway.delivery import Delivery
from fes.gateway.outputs import DropRow
from fes.gateway.replication import Role, Tail
from fes.gateway.requests.registry import RequestRegistry
from fes.link.messages import Desired
from fes_gateway.committing import Committing
from fes_gateway.decisions import always
from fes_gateway.host import GatewayHost
from fes_gateway.replicas.membership import Membership, View
from fes_gateway.replicas.replica import Replica
from support.replicas.processes import clock

Fault = tuple[Any, str, Any]


def _nothing(*_: object, **__: object) -> None:
    return None


def _true(*_: object, **__: object) -> bool:
    return True


_holder = Views.holder
_lead = GatewayCore.lead
_open = GatewayCore._open
_close = Multiplexer._close
_follow = RequestRegistry.follow
_host_lead = GatewayHost.lead
_host_follow = GatewayHost.follow
_follow_tail = GatewayCore.follow
_take_waiting = Waiting.take
_serials = itertools.count()


def _holder_of_each_adapter(self: Views, place: Place) -> str | None:
    if place.leads or self.newest is None or not self.newest.members:
        return _holder(self, place)
    salt: int = self.__dict__.setdefault("_salt", next(_serials) % 2)
    members: tuple[str, ...] = self.newest.members
    return members[(crc32(place.origin.encode()) + salt) % len(members)]


def _take_newest_first(self: Waiting, place: Place) -> list[Any]:
    return _take_waiting(self, place)[::-1]


def _close_and_forget_tokens(self: Multiplexer, line: Any) -> None:
    line.pending.give_up()
    _close(self, line)


class _Lasting(Succession):
    """Forgets nothing while its process lives."""

    def forget(self, service: str) -> None:
        del service

    def clear(self) -> None:
        """Keep all."""


def _lasting() -> Succession:
    return cast("Succession", clock.process.__dict__.setdefault("_succession", _Lasting()))


def _close_and_withdraw(self: Multiplexer, line: Any) -> None:
    replica = line.replica
    _close(self, line)
    self._perform(self._wants.say(replica, Desired(0, (), ())))


def _lead_with_old_numbers(self: GatewayCore, state: Any, now: Any, after: int) -> Any:
    del after
    return _lead(self, state, now, 0)


def _hear_for_anybody(self: Multiplexer, heard: Any) -> bool:
    return self._handing.hand(heard, Place(leads=False, origin=heard.stamp.origin))


def _open_twice(self: GatewayCore, changes: Any, turn: Any) -> None:
    before = len(turn.mutations)
    _open(self, changes, turn)
    turn.mutations += turn.mutations[before:]


def _open_and_leave(self: GatewayCore, changes: Any, turn: Any) -> None:
    before = len(turn.mutations)
    _open(self, changes, turn)
    turn.mutations[before:] = [
        each
        for each in turn.mutations[before:]
        if not (isinstance(each, DropRow) and each.key.startswith("in\x1f"))
    ]


def _lead_without_forwarded(self: GatewayHost, state: dict[str, bytes], after: int) -> None:
    _host_lead(self, {key: state[key] for key in state if not key.startswith("in\x1f")}, after)


async def _catch_up_without_reading(self: Committing, others: Any) -> None:
    del others
    self._behind = False
    self.sequence = self._journal.sequence()


def _follow_with_old_numbers(self: GatewayHost, state: dict[str, bytes]) -> None:
    adapters = self.settings.adapters
    numbers = [each.number for service in adapters for each in self.core.applied(service)]
    _host_follow(self, state)
    before = min(numbers, default=1) - 1
    self._decider.core = GatewayCore(self.settings, state, before, Role.FOLLOWING)
    for adapter in self._linked.linked():
        self.handle(adapter.up, adapter.service)


def _follow_all_but_what_went(self: RequestRegistry, rows: Any, gone: Any, turn: Any) -> None:
    del gone
    _follow(self, rows, frozenset(), turn)


def _follow_as_if_new(self: GatewayCore, tail: Tail, now: Any) -> Any:
    return _follow_tail(self, tail._replace(whole=False), now)


def _living_for_ever(self: Membership, now_s: float) -> tuple[str, ...]:
    del now_s
    return tuple(sorted({self.name, *self._heard_s}))


def _takeover_under_the_same_number(self: Membership, wall_us: int) -> View:
    view = self.view or View(0, "", (), 0)
    members = tuple(sorted({*view.members, self.name} - {view.leader}))
    return View(view.number or 1, self.name, members, wall_us)


def _count_all(self: Wants, names: Any, kept: Iterable[str]) -> Any:
    del names
    kept_all = {*kept, *self._sides}
    return _count(self, None, kept_all)


_count = Wants.count


FAULTS: dict[str, Fault] = {
    # The adapter
    "services are answered before anything is known": (
        Acknowledgements,
        "settled",
        property(_true, _nothing),
    ),
    "persistent events are not for the leader": (Multiplexer, "hear", _hear_for_anybody),
    "anybody may order": (Views, "may_order", _true),
    "adapters hash origins differently": (Views, "holder", _holder_of_each_adapter),
    "what waited longest goes last": (Waiting, "take", _take_newest_first),
    "wishes of the dead hold for ever": (Wants, "count", _count_all),
    "wishes end with a link": (Multiplexer, "_close", _close_and_withdraw),
    "tokens of a broken link are kept": (Multiplexer, "_close", _close_and_forget_tokens),
    "what was published is published again": (Confirmations, "is_turn", _true),
    "a deposed leader is waited for": (Multiplexer, "_release", _nothing),
    # Taking over, and stepping down
    "the event before is not looked at": (Succession, "admits", _true),
    "a deposed leader's decisions are committed": (Replica, "holder", lambda _: always),
    "a deposed leader goes on with what it knew": (GatewayHost, "follow", _nothing),
    "custody is not taken over": (Delivery, "restore", _nothing),
    "numbers begin anew": (GatewayCore, "lead", _lead_with_old_numbers),
    "forwarded requests are not taken over": (GatewayHost, "lead", _lead_without_forwarded),
    "who is behind does not read": (Committing, "_catch_up", _catch_up_without_reading),
    "the dead live": (Membership, "_living", _living_for_ever),
    "who stops keeps the lead": (Membership, "farewell", _nothing),
    "a takeover is no new view": (Membership, "takeover", _takeover_under_the_same_number),
    # Following
    "followers keep what the leader let go": (RequestRegistry, "follow", _follow_all_but_what_went),
    "a whole state is taken for news": (GatewayCore, "follow", _follow_as_if_new),
    # Forwarded requests
    "forwarded requests are dropped": (Replica, "forward", _true),
    "forwarded requests are taken twice": (GatewayCore, "_open", _open_twice),
    "forwarded requests that were taken stay": (GatewayCore, "_open", _open_and_leave),
}

TWICE: dict[str, tuple[Fault, Fault]] = {
    "what was taken last survives a step-down, and so do numbers": (
        (delivery, "Succession", _lasting),
        (GatewayHost, "follow", _follow_with_old_numbers),
    ),
}
"""Faults that two rules prevent, each on its own: a leader that was deposed refuses an event that
was sent before, as it forgot what it accepted last (ADR 13), and as the event tells the number of a
subscription of before.
"""

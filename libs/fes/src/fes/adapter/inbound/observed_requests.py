"""Transparent requests: made from what native clients declare at their own event service.

So an existing client needs no change at all: it subscribes at its event service as before, and
receives events of the whole federation. Equal requests are one, which is active as long as any
client that declared it is there. They are leases that the adapter renews, so that the requests of
an adapter that is gone end by themselves.

Source:
    design, sections 1, 4 and 6, rule 5.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

from eventservices.stamp import Stamper
from serving.clocks import wall_us

from fes.adapter.context import AdapterContext
from fes.adapter.observed import Observed
from fes.adapter.stamps import from_native
from fes.control import ControlEvent, RequestType, to_event
from fes.control.event import WITHDRAWING
from fes.errors import FesError
from fes.eventlog import Decision
from fes.filter import Filter
from fes.filter.algebra.normal import normalise
from fes.filter.language.text import to_text
from fes.link.end import Message
from fes.link.messages import HeardControl
from fes.mapping.inversion.asked import NOTHING, Asked, asked_for, subjects_of
from fes.model import Event, binary, is_reserved
from fes.model.limits import check_limits, check_size

REQUESTER: Final = "observed"
"""Requester of all requests that adapters make from what they observe.

The gateway adds the adapter's identifier to it: what one adapter no longer sees, another still may.
"""

DECLARATIONS: Final = 10_000
"""Most declarations of native clients that are remembered."""

RENEWALS: Final = 3
"""Renewals in one lease: two may be lost."""

REASON: Final = 500
"""Most characters of a reason in the event log."""

_ENDING: Final = {registry: ending for ending, registry in WITHDRAWING.items()}


@dataclass(frozen=True, slots=True)
class Wish:
    """The content of a request, whichever client declared it.

    Attributes:
        kind: SUBSCRIPTION or ANNOUNCEMENT.
        filter: Of a subscription, in canonical form.
        body: Of an announcement: the event as MessagePack.
    """

    kind: RequestType
    filter: str = ""
    body: bytes = b""


@dataclass(slots=True)
class _Request:
    """An active request.

    Attributes:
        wishes: Content by declaration; the request uses one of them, the same one everywhere.
        told: What was sent to the gateway last; None where nothing was, or where that was lost.
        renew_us: When to send it again, steady clock.
    """

    wishes: dict[str, Wish] = field(default_factory=dict)
    told: Wish | None = None
    renew_us: int = 0


Key = tuple[RequestType, str]


class ObservedRequests:
    """Makes requests from what an adapter observes, and renews them as long as it does.

    Args:
        context: The adapter's; it states what becomes a request, and for which event services.
        send: Sends to the gateway; False where the message was not accepted.
        log: Appends a decision to the event log.
        stamper: Stamps the requests.
        wall_us: Wall clock, microseconds since 1970 UTC: when leases end.
        steady_us: A clock that cannot be set, microseconds: when leases are renewed.

    Attributes:
        missed: Whether something was refused for lack of room, and there is room now: then all that
            is declared should be reported again.
    """

    def __init__(
        self,
        context: AdapterContext,
        send: Callable[[Message], bool],
        log: Callable[..., None],
        stamper: Stamper,
        wall_us: Callable[[], int] = wall_us,
        steady_us: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
    ) -> None:
        self._refusals = {"observed_refused": 0, "observed_widened": 0}
        self._said = context.observe
        self._context = context
        self._send = send
        self._log = log
        self._stamper = stamper
        self._wall_us = wall_us
        self._steady_us = steady_us
        self._requests: dict[Key, _Request] = {}
        self._held: dict[str, tuple[Key, ...]] = {}
        self._ending: dict[Key, Wish] = {}
        self._short = False

    @property
    def counters(self) -> dict[str, int]:
        """Declarations and requests now, and what was refused or widened so far."""
        if not self._said.on:
            return {}
        now = {"observed_declarations": len(self._held), "observed_requests": len(self._requests)}
        return now | self._refusals

    @property
    def missed(self) -> bool:
        """Whether something was refused for lack of room, and there is room now."""
        room = len(self._requests) < self._said.limit and len(self._held) < DECLARATIONS
        return self._short and room

    def observed(self, seen: Observed) -> None:
        """Accept what a native client declared, or withdrew; see `Sink`."""
        before = self._held.pop(seen.by, ())
        wishes = {} if seen.withdrawn else self._wishes(seen)
        taken = tuple(key for key, wish in wishes.items() if self._hold(key, seen.by, wish))
        if taken:
            self._held[seen.by] = taken
        for key in before:
            if key not in taken:
                self._release(key, seen.by)
        self._tell_all((*before, *taken))

    def linked(self) -> None:
        """Send all requests to the gateway again: it may be another one now."""
        self._short = False
        for request in self._requests.values():
            request.told = None
        self._tell_all(self._requests)

    def again(self) -> None:
        """Note that all that is declared is reported again."""
        self._short = False

    def tick(self) -> None:
        """Renew what is due, and send again what was not accepted."""
        for key in tuple(self._ending):
            self._end(key)
        self._tell_all(self._requests)

    def _wishes(self, seen: Observed) -> dict[Key, Wish]:
        """Return what a declaration requests; a declaration that cannot be a request is refused."""
        found: dict[Key, Wish] = {}
        try:
            found.update(self._announced(seen))
            found.update(self._wanted(seen))
        except FesError as error:
            self._refuse(f"{seen.by}: {error}")
        return found

    def _wanted(self, seen: Observed) -> Iterator[tuple[Key, Wish]]:
        if not self._said.subscriptions:
            return
        asked = Asked(NOTHING if seen.asks is None else normalise(seen.asks), ())
        if seen.wants is not None:
            asked = asked_for(seen.wants, self._context.mapping)
        if asked.tree == NOTHING:
            return
        pinned = subjects_of(asked.tree)
        if pinned and all(map(is_reserved, pinned)):
            return
        made = Filter.of(to_text(asked.tree))
        for text in asked.widened:
            self._refusals["observed_widened"] += 1
            self._log(Decision.DEGRADED, what=f"observed subscription: {text}"[:REASON])
        kind = RequestType.SUBSCRIPTION
        yield (kind, made.canonical), Wish(kind, filter=made.canonical)

    def _announced(self, seen: Observed) -> Iterator[tuple[Key, Wish]]:
        if not self._said.announcements:
            return
        kind = RequestType.ANNOUNCEMENT
        for native in seen.announces:
            for part in self._context.mapping.events_of(native, ranges=False).parts:
                if not is_reserved(part.event.subject):
                    yield (kind, part.event.subject), Wish(kind, body=self._body(part.event))

    def _body(self, event: Event) -> bytes:
        check_limits(event, self._context.limits)
        body = binary.encode(event)
        check_size(len(body), self._context.limits)
        return body

    def _hold(self, key: Key, by: str, wish: Wish) -> bool:
        request = self._requests.get(key)
        if len(self._held) >= DECLARATIONS:
            return self._no_room(f"more than {DECLARATIONS} declarations: {by}")
        if request is None:
            if len(self._requests) >= self._said.limit:
                return self._no_room(f"more than {self._said.limit} requests: {by}")
            request = self._requests[key] = _Request()
            self._ending.pop(key, None)
        request.wishes[by] = wish
        return True

    def _no_room(self, reason: str) -> bool:
        self._short = True
        self._refuse(reason)
        return False

    def _release(self, key: Key, by: str) -> None:
        request = self._requests[key]
        wish = request.wishes.pop(by)
        if not request.wishes:
            del self._requests[key]
            self._ending[key] = wish
            self._end(key)
            if len(self._ending) > self._said.limit:
                del self._ending[next(iter(self._ending))]  # its lease ends it

    def _end(self, key: Key) -> None:
        wish = self._ending[key]
        if self._say(wish, _ENDING[wish.kind], expires_us=0):
            del self._ending[key]

    def _tell_all(self, keys: Iterable[Key]) -> None:
        now_us = self._steady_us()
        for key in keys:
            request = self._requests.get(key)
            if request is not None:
                self._tell(request, now_us)

    def _tell(self, request: _Request, now_us: int) -> None:
        wish = min(request.wishes.values(), key=attrgetter("body"))
        if wish == request.told and now_us < request.renew_us:
            return
        lease_us = round(self._said.lease_s * 1e6)
        if self._say(wish, wish.kind, expires_us=self._wall_us() + lease_us):
            request.told = wish
            request.renew_us = now_us + lease_us // RENEWALS

    def _say(self, wish: Wish, kind: RequestType, expires_us: int) -> bool:
        stamp, _ = from_native(self._stamper.next())
        subscribes = wish.kind is RequestType.SUBSCRIPTION
        control = ControlEvent(
            stamp=stamp,
            system=self._context.system,
            type=kind,
            source=self._context.service,
            dist_list=self._said.subscriptions if subscribes else self._said.announcements,
            filter=wish.filter,
            event=binary.decode(wish.body) if wish.body else None,
            requester=REQUESTER,
            expires_us=expires_us,
        )
        return self._send(HeardControl(stamp, binary.encode(to_event(control)), observed=True))

    def _refuse(self, reason: str) -> None:
        self._refusals["observed_refused"] += 1
        self._log(Decision.REFUSED, reason=f"observed: {reason}"[:REASON])

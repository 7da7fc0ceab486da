"""An access point calls exactly the callbacks that brute force says, whichever copies come."""

from collections.abc import Callable, Coroutine
from fnmatch import fnmatchcase
from typing import Any, TypeVar, cast

from eventservices.natsclient import Handler
from eventservices.natslink import Listening, NatsLink
from eventservices.natsstamp import header_of
from eventservices.siena import Counters, Filter, Notification, Subscription, Value
from eventservices.siena.codec import encode
from eventservices.siena.counters import Aside
from eventservices.siena.intake import Intake
from eventservices.siena.outlet import Outlet
from eventservices.siena.subjects import Subjects
from eventservices.stamp import Stamp, Stamper
from eventservices.suppress import Suppressor
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from support.siena.inputs import filters, notifications
from support.siena.reference import matches

Result = TypeVar("Result")


def run(step: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of a coroutine that never waits."""
    try:
        step.send(None)
    except StopIteration as done:
        return cast("Result", done.value)
    raise AssertionError("it waits")


class Link:
    """Stands for the broker."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}

    async def listen(self, subject: str, handler: Handler) -> Listening:
        self.handlers[subject] = handler
        return Listening(subject, handler)

    async def mute(self, listening: Listening) -> None:
        del self.handlers[listening.subject]

    async def flush(self) -> None:
        """Return at once."""


class AccessPoint(RuleBasedStateMachine):
    """Two parties whose subscriptions come and go while notifications arrive."""

    @initialize(index=st.sampled_from([None, "a", "b"]))
    def begin(self, index: str | None) -> None:
        self.subjects = Subjects("s", index)
        self.link = Link()
        counters = Counters()
        self.intake = Intake(cast("NatsLink", self.link), counters, Aside(counters, 4))
        self.outlets = [Outlet(Suppressor(), counters, 4) for _ in range(2)]
        self.stamper = Stamper("writer", "s", epoch=1)
        self.calls: list[int] = []
        self.present: dict[int, Subscription] = {}
        self.number = 0
        self.proved: set[str] = set()

    @rule(what=filters, party=st.integers(0, 1), proved=st.booleans())
    def subscribe(self, what: Filter, party: int, *, proved: bool) -> None:
        self.number += 1
        subject = self.subjects.subscribe_to(what)
        made = Subscription("p", what, self._callback(self.number), subject, self.outlets[party])
        self.present[self.number] = made
        run(self.intake.add(made))
        if proved:
            self.intake.in_force(made)
            self.proved.add(subject)

    @rule(data=st.data())
    def unsubscribe(self, data: st.DataObject) -> None:
        if not self.present:
            return
        number = data.draw(st.sampled_from(sorted(self.present)))
        made = self.present.pop(number)
        run(self.intake.remove(made))
        if made.subject not in self.link.handlers:
            self.proved.discard(made.subject)

    @rule(event=notifications, wide_first=st.booleans(), wide_comes=st.booleans())
    def publish(self, event: dict[str, Value], *, wide_first: bool, wide_comes: bool) -> None:
        payload = encode(Notification(event))
        (stamp,) = header_of(self.stamper.next()).values()
        headers = f"NATS/1.0\r\nEvent-Stamp: {stamp}\r\n\r\n".encode()
        subject = self.subjects.publish_to(event)
        self.calls.clear()
        for by in sorted(self.link.handlers, key=lambda each: each.endswith("*") != wide_first):
            surely = by == subject or by in self.proved or wide_comes
            if surely and fnmatchcase(subject, by.replace("[", "[[]")):
                self.link.handlers[by](subject, payload, headers, "")
        unsure = set() if wide_comes else set(self.link.handlers) - self.proved
        for number, made in self.present.items():
            expected = int(matches(made.filter, event))
            if made.subject not in unsure or made.subject == subject:
                assert self.calls.count(number) == expected
            else:
                assert self.calls.count(number) <= expected

    def teardown(self) -> None:
        for made in self.present.values():
            run(self.intake.remove(made))
        assert self.link.handlers == {}
        assert self.intake.native_subjects == ()

    def _callback(self, number: int) -> Callable[[Notification, Stamp | None], None]:
        return lambda _notification, _stamp: self.calls.append(number)


TestAccessPoint = AccessPoint.TestCase
TestAccessPoint.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)

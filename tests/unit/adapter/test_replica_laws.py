"""Whatever happens to links, replicas and views, these laws hold."""

from collections import Counter, defaultdict
from operator import attrgetter

import pytest
from fes.adapter.replicas import membership as views
from fes.link.messages import Heard, View
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from unit.adapter.replicated import Bench, Replica

NAMES = ("A", "B", "C")
ORIGINS = ("car", "bus", "tram")
FILTERS = ("x", "y", "z")

names = st.sampled_from(NAMES)
filters = st.sampled_from(FILTERS)


class Replicas(RuleBasedStateMachine):
    """Replicas that come and go in any order, beside a model of what has to hold.

    Native subscriptions are what living replicas want together, each once. What is heard of an
    origin is told in its order, whoever its owners are one after the other. Nothing that is heard
    goes without being told or counted, and nothing waits for who is linked.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bench = Bench()
        self.number = 0
        self.sequence: Counter[str] = Counter()
        self.told: dict[str, list[int]] = defaultdict(list)
        self.wanted: dict[str, set[str]] = {}
        self.views: dict[str, View] = {}
        self.whole: set[str] = set()
        self.newest = View(0, "", "", ())
        self.confirmed: View | None = None

    @initialize()
    def begin(self) -> None:
        for name in NAMES:
            self.bench.replicas[name] = Told(self, name)
        self.view(NAMES[0], list(NAMES))
        for name in NAMES:
            self.link(name, ["x"])

    @rule(leader=names, members=st.lists(names, min_size=1, unique=True))
    def view(self, leader: str, members: list[str]) -> None:
        """Have another view, which replicas tell when they come to."""
        self.number += 1
        self.bench.newest = View(self.number, "", leader, tuple(members))

    @rule(name=names, wanted=st.lists(filters, unique=True))
    def link(self, name: str, wanted: list[str]) -> None:
        """Have a replica linked, and say all that it has to say."""
        self.up(name)
        self.desire(name, wanted)

    @rule(name=names)
    def up(self, name: str) -> None:
        replica = self.bench[name]
        if replica.line.end is None:
            replica.line.up(replica)
            self.tell_view(name)

    @rule(name=names)
    def down(self, name: str) -> None:
        self.bench[name].down()
        self.views.pop(name, None)
        self.whole.discard(name)
        self.forget()

    @rule(name=names)
    def tell_view(self, name: str) -> None:
        replica, view = self.bench[name], self.bench.newest
        if replica.line.end is not None and view is not None:
            replica.view(view)
            self.views[name] = view
            self.confirm()

    @rule(name=names, wanted=st.lists(filters, unique=True))
    def desire(self, name: str, wanted: list[str]) -> None:
        if name in self.views:
            self.wanted[name] = set(wanted)
            self.whole.add(name)
            self.bench[name].desire(*wanted)
            self.confirm()

    @rule(name=names, filter_=filters)
    def change(self, name: str, filter_: str) -> None:
        if name not in self.whole:
            return
        if filter_ in self.wanted[name]:
            self.wanted[name].discard(filter_)
            self.bench[name].unsubscribe(filter_)
        else:
            self.wanted[name].add(filter_)
            self.bench[name].subscribe(filter_)

    @rule(origin=st.sampled_from(ORIGINS), events=st.integers(1, 3))
    def hear(self, origin: str, events: int) -> None:
        held = self.bench.inside.filters
        for _ in range(events if held else 0):
            self.sequence[origin] += 1
            self.bench.hear(*held, origin=origin, sequence=self.sequence[origin])

    @rule(seconds=st.sampled_from([1, 4, 40]))
    def wait(self, seconds: int) -> None:
        self.bench.pass_s(seconds)

    @invariant()
    def what_living_replicas_want_is_held_once(self) -> None:
        living = self.living()
        wanted = [held for name, held in self.wanted.items() if living is None or name in living]
        assert self.bench.inside.filters == sorted(set().union(*wanted))

    @invariant()
    def what_is_told_of_an_origin_is_in_its_order(self) -> None:
        for told in self.told.values():
            assert told == sorted(set(told))

    @invariant()
    def every_event_is_told_or_waits_or_is_counted(self) -> None:
        waits = self.bench.board.counters["replica_waiting"]
        told = sum(map(len, self.told.values()))
        assert told + waits + len(self.bench.reasons) == self.sequence.total()
        if self.whole >= {*self.newest.members}:
            assert not waits

    def confirm(self) -> None:
        """Note the newest view that was told, and whether one tells it whose state is here."""
        self.newest = max(self.newest, *self.views.values(), key=attrgetter("number"))
        for name in self.whole:
            if self.views[name].number == self.newest.number:
                self.confirmed = self.newest
        self.forget()

    def forget(self) -> None:
        """Forget what replicas wanted that are gone, and are not linked either."""
        living = self.living()
        if living is not None:
            stays = living | self.views.keys()
            self.wanted = {name: held for name, held in self.wanted.items() if name in stays}

    def living(self) -> set[str] | None:
        """Return whose wishes count; None for all: of those who are there none said any."""
        if self.confirmed is None:
            return None
        named = {*self.confirmed.members, *self.newest.members}
        return named if named & self.wanted.keys() else None


class Told(Replica):
    """A replica that notes in which order it was told what."""

    def __init__(self, model: Replicas, name: str) -> None:
        super().__init__(model.bench, name)
        self._model = model

    def send(self, message: object) -> bool:
        if isinstance(message, Heard):
            self._model.told[message.stamp.origin].append(message.stamp.sequence)
        return True


@pytest.mark.parametrize("steps", [20, 60])
def test_whatever_happens_the_laws_hold(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "FORGET_S", 1e9)
    run_state_machine_as_test(
        Replicas, settings=settings(max_examples=100, stateful_step_count=steps, deadline=None)
    )

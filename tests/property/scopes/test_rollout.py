"""Mappings come and go at gateways one after the other: nobody misses an event meanwhile."""

import os
from random import Random

import pytest
from fes.model import Event
from support.scopes.federated import Federated, joins

STORIES = max(60, int(os.environ.get("FES_LAWS", "2000")) // 100)
SERVICES = ("a", "b", "c")
MAPS = {"down": [{"set": {"seen": 1}}]}


class _Story:
    """Gateways of which one is attached everywhere, and changes that some receive late."""

    def __init__(self, seed: int) -> None:
        self._draw = draw = Random(seed)
        others = [tuple(draw.sample(SERVICES, draw.randint(1, 3))) for _ in range(2)]
        attached = [SERVICES, *others]
        draw.shuffle(attached)
        self.attached = {f"g{at}": names for at, names in enumerate(attached)}
        self.federated = Federated(self._file(), suppresses=draw.random() < 0.4)
        self.mapped = [dict.fromkeys(SERVICES, False)]
        self._number = 0
        self.federated.wait(4)
        everywhere = next(name for name, names in self.attached.items() if names == SERVICES)
        for at, name in enumerate(SERVICES):
            self.federated.subscribe(name, at + 1, everywhere)
        self.federated.wait(3)

    def _file(self) -> str:
        services = ", ".join(f"{name}: {{kind: memory}}" for name in SERVICES)
        gateways = "".join(
            f"  {name}: {{adapters: {{{', '.join(f'{each}: {{}}' for each in names)}}}}}\n"
            for name, names in self.attached.items()
        )
        members = ", ".join(f"{name}: {{}}" for name in SERVICES)
        return (
            f"version: 1\nsystem: test\nevent_services: {{{services}}}\n"
            f"gateways:\n{gateways}scopes:\n  market: {{members: {{{members}}}}}\n"
        )

    def step(self) -> None:
        """Change something, let time pass, or publish."""
        draw, act = self._draw, self._draw.random()
        if act < 0.2:
            self._change()
        elif act < 0.3:
            self.federated.wait(draw.randint(1, 3))
        elif act < 0.4:
            names = sorted(self.attached)
            self.federated.late = set(draw.sample(names, draw.randint(0, len(names))))
        else:
            self._publish()

    def _change(self) -> None:
        name = self._draw.choice(SERVICES)
        maps = self._draw.random() < 0.5
        assert self.federated.change(joins(name, "market", **(MAPS if maps else {})), "g0") == []
        self.mapped.append({**self.mapped[-1], name: maps})

    def _publish(self) -> None:
        home = self._draw.choice(SERVICES)
        at = [name for name, names in self.attached.items() if home in names]
        self._draw.shuffle(at)
        self._number += 1
        event = Event.of("Quote", n=self._number)
        received: dict[str, set[object]] = {}
        for name, made in self.federated.publish_to(home, self._number, event, tuple(at)):
            received.setdefault(name, set()).add(made.parameter("seen"))
        known = {
            name: core.gossip.presence.acknowledged() for name, core in self.federated.cores.items()
        }
        generations = {each for acknowledged in known.values() for each in acknowledged.values()}
        for name in SERVICES:
            maps = {self.mapped[generation][name] for generation in generations}
            right = {1 if each else None for each in maps}
            if name != home:
                got = received.get(name, set())
                assert got, f"{name} misses event {self._number} of {home}: {known}"
                assert got <= right, f"{name} received {got} of {home}, not {right}: {known}"


@pytest.mark.timeout(0 if STORIES > 60 else 300)
def test_nobody_misses_an_event_while_mappings_come_and_go() -> None:
    for seed in range(STORIES):
        story = _Story(seed)
        try:
            for _ in range(25):
                story.step()
        except AssertionError as error:
            what = f"seed {seed}, {story.attached}, {story.mapped}"
            raise AssertionError(f"{what}: {error}") from error

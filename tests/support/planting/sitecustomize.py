"""Faults planted in a running product, for the judge to find; Python imports this by its name.

With this folder on PYTHONPATH, FES_TEST_FAULT names the fault that every process of a run has.
A module of the product is altered as it is imported; the product knows nothing of it.
"""

import importlib.abc
import importlib.machinery
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

Alter = Callable[[ModuleType], None]


def no_content_filter(module: ModuleType) -> None:
    """An adapter of the air asks for a subject, whatever the filter; its own filter hides it."""
    node = module.Node
    subscribe = node.subscribe

    async def unfiltered(
        self: Any, subject: str, callback: Any, content: Any = (), **more: Any
    ) -> Any:
        del content
        return await subscribe(self, subject, callback, (), **more)

    node.subscribe = unfiltered


def control_storm(module: ModuleType) -> None:
    """Every gateway says hello ten times at each tick."""
    tick = module.Gossip.tick

    def loud(self: Any, turn: Any) -> Any:
        changed = tick(self, turn)
        for _ in range(10):
            for service in self._settings.adapters:
                self.say_at(service, turn)
        return changed

    module.Gossip.tick = loud


def never_withdrawn(module: ModuleType) -> None:
    """An adapter says that it took a native subscription back, and did not."""

    async def kept(self: Any, subscription: Any) -> None:
        del self, subscription

    module.Adapter.unsubscribe = kept


def crash(module: ModuleType) -> None:
    """A gateway's process ends by a segmentation fault, once, while events pass."""
    handle = module.GatewayCore.handle
    events = [0]
    once = Path(os.environ["FES_TEST_ONCE"])

    def fragile(self: Any, message: Any, *more: Any) -> Any:
        if type(message).__name__ == "Heard":
            events[0] += 1
            if events[0] > 100 and not once.exists():
                once.touch()
                os.kill(os.getpid(), signal.SIGSEGV)
        return handle(self, message, *more)

    module.GatewayCore.handle = fragile


def loss(module: ModuleType) -> None:
    """A gateway orders nothing of each twentieth event that it should publish in the city."""
    publish = module.Dispatch.publish
    events = [0]

    def lossy(self: Any, event: Any, destination: str, turn: Any, *more: Any) -> Any:
        if destination == "siena-m":
            events[0] += 1
            if events[0] % 20 == 0:
                return None
        return publish(self, event, destination, turn, *more)

    module.Dispatch.publish = lossy


def copy(module: ModuleType) -> None:
    """A native client forgets which events it had; two monitors report the same ones."""

    def never(self: Any, stamp: Any) -> bool:
        del self, stamp
        return False

    module.Suppressor.repeated = never


def inversion(module: ModuleType) -> None:
    """An adapter in the city publishes each tenth event behind the next one of its origin."""
    publish = module.Adapter.publish
    waiting: dict[str, Any] = {}
    events = [0]

    async def swapped(self: Any, native: Any, stamp: Any) -> None:
        if self.context.service != "siena-m":
            await publish(self, native, stamp)
            return
        held = waiting.pop(stamp.origin, None)
        events[0] += 1
        if held is None and events[0] % 10 == 0:
            waiting[stamp.origin] = (native, stamp)
            return
        await publish(self, native, stamp)
        if held is not None:
            await publish(self, *held)

    module.Adapter.publish = swapped


def all_of_n(module: ModuleType) -> None:
    """A scope that chooses one of its members has all of them receive an event."""

    def every(self: Any, scope: Any, *more: Any) -> frozenset[str]:
        del more
        return frozenset(self._graph.members(scope.name))

    module.Stations._chosen = every


def at_once(module: ModuleType) -> None:
    """What a publishing policy has wait goes at once."""

    def published(self: Any, publication: Any, *more: Any) -> Any:
        del self, more
        return publication

    module.Stations._held_back = published


FAULTS: dict[str, tuple[str, Alter]] = {
    "no content filter": ("eventservices.steam.node", no_content_filter),
    "control storm": ("fes.gateway.peers.gossip", control_storm),
    "never withdrawn": ("fes.adapter.base", never_withdrawn),
    "crash": ("fes.gateway.core", crash),
    "loss": ("fes.gateway.forwarding.dispatch", loss),
    "copy": ("eventservices.suppress", copy),
    "inversion": ("fes.adapter.base", inversion),
    "all of n": ("fes.scopes.station", all_of_n),
    "at once": ("fes.scopes.station", at_once),
}
"""Name of a fault to the module that has it, and how that is altered."""


class _Loader(importlib.abc.Loader):
    """Loads a module as its own loader does, and alters it then."""

    def __init__(self, inner: importlib.abc.Loader, alter: Alter) -> None:
        self._inner = inner
        self._alter = alter

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._inner.exec_module(module)
        self._alter(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the one module that is altered."""

    def __init__(self, name: str, alter: Alter) -> None:
        self._name = name
        self._alter = alter

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._alter)
        return spec


if os.environ.get("FES_TEST_FAULT") in FAULTS:
    sys.meta_path.insert(0, _Finder(*FAULTS[os.environ["FES_TEST_FAULT"]]))

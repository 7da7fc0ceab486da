"""Changes of scopes while a federation runs: one gateway orders them, all apply them in its order.

Two changes at once are two numbers: the second one is checked against a graph that has the first.
All gateways have the same file, so that equal numbers of changes make equal graphs.
"""

from collections.abc import Iterable, Mapping

import msgspec

from fes.errors import ScopeError
from fes.federation.scopes.change import Change, apply, read_change, write_change
from fes.federation.scopes.management import managed_services, manager_among
from fes.federation.scopes.model import ScopePart
from fes.gateway.journal_keys import END, key_of
from fes.gateway.outputs import PutRow
from fes.gateway.settings import GatewaySettings
from fes.scopes import Graph
from fes.scopes.parting import natively, natives_parted

CHANGES = f"scopes{END}"
"""What the keys of changes begin with in the journal."""

MAX_CHANGES = 10_000
"""Most changes since the file was read; further ones are refused until the file states them."""


class ScopeAdministration:
    """Orders and applies changes.

    Args:
        settings: Of the gateway; its graph is changed.

    Attributes:
        manager: Gateway that manages mappings and policies; empty where none has to.
        unapplied: Changes of another gateway or of the journal that could not be applied.
    """

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._graph = settings.scopes
        self._texts: list[bytes] = []
        self._parts = dict(settings.scope_parts)
        self.manager = settings.scope_manager
        self.unapplied = 0

    @property
    def generation(self) -> int:
        """How many changes were applied since the file was read."""
        return len(self._texts)

    @property
    def orderer(self) -> str:
        """Gateway that orders changes: the first one of the file."""
        return next(iter(self._settings.gateways), self._settings.id)

    @property
    def orders(self) -> bool:
        """Whether this gateway orders changes."""
        return self.orderer == self._settings.id

    def __contains__(self, scope: object) -> bool:
        """Return whether there is a scope of that name."""
        return scope in self._parts

    @property
    def manages(self) -> bool:
        """Whether this gateway manages mappings and policies."""
        return self.manager == self._settings.id

    def part(self, scope: str) -> ScopePart:
        """Return a scope as it was declared last.

        Raises:
            ScopeError: There is none of that name.
        """
        part = self._parts.get(scope)
        if part is None:
            raise ScopeError(f"unknown scope: {scope}")
        return part

    def check(self, change: Change) -> None:
        """Refuse a change that this gateway cannot order, or that the scopes do not admit.

        Raises:
            ScopeError: Names the reason.
        """
        if not self.orders:
            raise ScopeError(f"{self.orderer} orders changes of scopes")
        if self.generation >= MAX_CHANGES:
            raise ScopeError(
                f"{MAX_CHANGES} changes were made: state them in the federation file, and restart"
            )
        read_change(write_change(change))  # what is too long or not a name is never sent
        tried = self._graph.copy()
        apply(tried, change)
        for one, other, why in natives_parted(tried):
            raise ScopeError(natively(one, other, why))
        self._manager_after(tried)

    def order(self, change: Change, now_us: int) -> tuple[Change, PutRow]:
        """Apply a change that was checked; return it with its number, and the row to commit.

        Args:
            change: Without number.
            now_us: Federation clock.
        """
        numbered = msgspec.structs.replace(change, number=self.generation + 1, at_us=now_us)
        return numbered, self._apply(numbered)

    def learn(self, changes: Iterable[Change]) -> list[tuple[Change, PutRow]]:
        """Apply the changes that follow those that were applied; return them and their rows.

        Args:
            changes: Of another gateway; known ones and those after a gap are left out.
        """
        return [(each, self._apply(each)) for each in changes if self.is_next(each)]

    def is_next(self, change: Change) -> bool:
        """Return whether a change follows those that were applied."""
        return change.number == self.generation + 1

    def stored(self, state: Mapping[str, bytes | None]) -> list[Change]:
        """Return what the journal has beyond what was applied.

        What cannot be read, and what comes after it, is learnt again from other gateways.
        """
        found: list[Change] = []
        rows = {key: text for key, text in state.items() if key.startswith(CHANGES) and text}
        for _, text in sorted(rows.items()):
            try:
                change = read_change(text)
            except ScopeError:
                break
            if change.number == self.generation + len(found) + 1:
                found.append(change)
        return found

    def since(self, generation: int, most_bytes: int) -> list[bytes]:
        """Return the changes after some, as many as fit; at least one where there is any."""
        found: list[bytes] = []
        for text in self._texts[max(0, generation) :]:
            if found and most_bytes < len(text):
                break
            most_bytes -= len(text)
            found.append(text)
        return found

    def _apply(self, change: Change) -> PutRow:
        """Apply a change; one that the graph does not admit is counted, and has its number."""
        text = write_change(change)
        try:
            apply(self._graph, change)
        except ScopeError:
            self.unapplied += 1
        else:
            self._note(change)
        self._texts.append(text)
        return PutRow(key_of(CHANGES.removesuffix(END), f"{change.number:09}"), text)

    def _note(self, change: Change) -> None:
        if change.member:
            pass
        elif change.part is None:
            self._parts.pop(change.scope, None)
        else:
            self._parts[change.scope] = change.part
        try:
            self.manager = self._manager_after(self._graph)
        except ScopeError:  # the file of this gateway is not that of the one that orders
            self.unapplied += 1

    def _manager_after(self, graph: Graph) -> str:
        """Return which gateway manages some scopes; the one that does stays.

        Raises:
            ScopeError: It cannot, or none can.
        """
        services = managed_services(graph)
        if not services:
            return self.manager
        gateways = self._settings.gateways
        if self.manager:
            lacks = [each for each in services if each not in gateways.get(self.manager, ())]
            if lacks:
                raise ScopeError(
                    f"{self.manager} manages mappings and policies, and is not attached to"
                    f" {lacks[0]}"
                )
            return self.manager
        manager = manager_among(gateways, services)
        if not manager:
            raise ScopeError(
                f"no gateway is attached to all of {', '.join(services[:5])}, whose events pass"
                " mappings or policies"
            )
        return manager

"""Judges kinds of deliveries and requests by the graph of scopes of their generations."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from analytics.scopes import names
from analytics.scopes.graph import Graph
from analytics.scopes.paths import Found, Step, paths
from analytics.verdict import EXAMPLES, Example

EARLY_S = 0.25
"""How much earlier than it had to wait an event may seem to come, wall clock: two are read."""

LONG = 400
"""Of an origin so long, what a mapping makes has only the beginning."""


@dataclass(slots=True)
class Charges:
    """What was found against one promise: how many, and the first of them."""

    offending: int = 0
    examples: list[Example] = field(default_factory=list)

    def add(self, count: int, place: str, reason: str, *ids: str | None) -> None:
        """Add what was found of one kind; each example once."""
        self.offending += count
        for each in dict.fromkeys(one or "" for one in ids):
            if len(self.examples) < EXAMPLES:
                self.examples.append(Example(each, place, reason))


@dataclass(slots=True)
class Looked:
    """How much of a run could be judged.

    Attributes:
        deliveries: Deliveries between components.
        undecided: Those that an interface lets pass or not by what no log has.
        unfinished: Those with more paths than are followed.
        unfounded: Derived ones of which the event they were made from may be unknown.
        unreadable: Filters that are beyond the judge; what they decide is undecided.
        over: By promise: deliveries that could have broken it.
    """

    deliveries: int = 0
    undecided: int = 0
    unfinished: int = 0
    unfounded: int = 0
    unreadable: int = 0
    over: dict[str, int] = field(default_factory=lambda: dict.fromkeys(names.PROMISES, 0))


class Judge:
    """Judges what event services received, and what was applied at them.

    Args:
        graphs: Before any change, and after each.
        ended: Scopes that ended in the run: what waited for them may have been released early.
        speed: Seconds of the federation clock in a second.
        whole: Whether the event log contains every event.
    """

    def __init__(
        self, graphs: list[Graph], ended: frozenset[str], *, speed: float, whole: bool
    ) -> None:
        self._graphs = graphs
        self._ended = ended
        self._early_us = EARLY_S * speed * 1e6
        self._whole = whole
        self.looked = Looked()
        self.charges = {promise: Charges() for promise in names.PROMISES}
        self._paths = cache(self._search)

    def delivery(self, row: Any) -> None:
        """Judge a kind of deliveries.

        Args:
            row: A row of `ScopeLog.deliveries`.
        """
        looked = self.looked
        looked.deliveries += row["count"]
        looked.over[names.VISIBLE] += row["count"]
        generations = self._between(row["h0"], row["h1"])
        seen = [at for at in generations if self._graphs[at].visible(row["home"], row["to"])]
        if not seen:
            self._unseen(row, generations)
            return
        if len(self._graphs) > 1:
            looked.over[names.MEMBERSHIP] += row["count"]
        now = self._between(row["d0"], row["d1"])
        if not any(self._graphs[at].visible(row["home"], row["to"]) for at in now):
            self._charge(names.MEMBERSHIP, row, "its membership had been withdrawn")
            return
        self._path(row, seen)

    def _between(self, first: int, last: int) -> range:
        most = len(self._graphs) - 1
        return range(min(first, most), min(last, most) + 1)

    def _unseen(self, row: Any, generations: range) -> None:
        """Charge what is visible in none of the generations that it may belong to."""
        others = {
            at > generations[-1]
            for at, graph in enumerate(self._graphs)
            if at not in generations and graph.visible(row["home"], row["to"])
        }
        if not others:
            reason = f"{row['home']} and {row['to']} have no common superscope"
            self._charge(names.VISIBLE, row, reason)
            return
        late = "it joined after the event was published"
        left = f"{row['to']} sees nothing of {row['home']} any more: a membership ended before"
        self._charge(names.MEMBERSHIP, row, left if False in others else late)

    def _path(self, row: Any, seen: list[int]) -> None:
        published = row["published"] if row["made"] else row["subject"]
        route = (row["home"], row["to"], published)
        found = [self._paths(at, *route, row["session"]) for at in seen]
        if not all(each.complete for each in found):
            self.looked.unfinished += row["count"]
            return
        ends = [end for each in found for end in each.ends]
        if row["session"] or row["within"]:
            self.looked.over[names.SESSION] += row["count"]
        self._tagged(row, seen)
        if not ends:
            unbound = [self._paths(at, *route, "") for at in seen]
            free = any(each.ends for each in unbound)
            places = (place for each in found + unbound for place in each.blocked)
            blocked = ", ".join(dict.fromkeys(places))
            if free:
                reason = f"published in session {row['session']}, of which {row['to']} is not"
                self._charge(names.SESSION, row, reason)
            else:
                self._charge(names.INTERFACES, row, f"blocked by {blocked or 'every path'}")
            return
        self._made(row, ends)

    def _tagged(self, row: Any, seen: list[int]) -> None:
        """Charge an event that carries a session which its receiver is not in."""
        if not row["within"]:
            return
        for at in {*seen, *self._between(row["d0"], row["d1"])}:
            graph = self._graphs[at]
            scope = graph.scopes.get(row["within"])
            inside = any(row["within"] in graph.above(c) for c in graph.components(row["to"]))
            if scope is not None and scope.session and inside:
                return
        reason = f"carries session {row['within']}, of which {row['to']} is not"
        self._charge(names.SESSION, row, reason)

    def _made(self, row: Any, ends: list[Step]) -> None:
        """Judge whether an event has the identity and subject that its paths result in."""
        looked = self.looked
        maps = any(end.made for end in ends)
        if maps or row["made"]:
            looked.over[names.IDENTITY] += row["count"]
        if row["made"] and not row["known"]:
            if self._whole and len(row["first"]) < LONG:
                self._charge(names.IDENTITY, row, "nobody published what it was made from")
            else:
                looked.unfounded += row["count"]
            return
        copies = any(row["to"] in graph.copies for graph in self._graphs) or any(
            client in graph.copies
            for graph in self._graphs
            for client in graph.components(row["to"])
        )
        right = [end for end in ends if end.made == row["made"] or (row["made"] and copies)]
        if not right:
            reason = (
                f"has a derived identity, and nothing maps from {row['home']} to {row['to']}"
                if row["made"]
                else f"is unmapped, and every path from {row['home']} to {row['to']} maps"
            )
            self._charge(names.IDENTITY, row, reason)
            return
        named = [end for end in right if end.content.subject in (None, row["subject"])]
        if not named:
            made = ", ".join(sorted({end.content.subject or "" for end in right}))
            self._charge(names.IDENTITY, row, f"is {row['subject']}; a mapping makes {made} of it")
            return
        if all(end.pending for end in named):
            looked.undecided += row["count"]
        else:
            looked.over[names.INTERFACES] += row["count"]
        self._waited(row, named)

    def _waited(self, row: Any, ends: list[Step]) -> None:
        least_us = min(end.delay_us for end in ends)
        if not least_us or self._ended or not row["known"]:
            return
        self.looked.over[names.DELAY] += row["count"]
        waited_us, first = row["soonest"]
        if waited_us < least_us - self._early_us:
            reason = f"received after {waited_us / 1e6:.0f} s, not after {least_us / 1e6:.0f} s"
            self.charges[names.DELAY].add(1, row["to"], reason, first)

    def together(self, row: Any) -> None:
        """Judge a kind of events that several event services received.

        Args:
            row: A row of `ScopeLog.together`.
        """
        for at in self._between(row["h0"], row["h1"]):
            for scope in self._graphs[at].scopes.values():
                if scope.chooses:
                    chosen = self._chosen(at, scope.name, row)
                    self.looked.over[names.ONE] += row["count"] if chosen else 0
                    if len(set(chosen.values())) > 1:
                        who = ", ".join(sorted(chosen))
                        reason = f"{who} received it; one member of {scope.name} may"
                        ids = (row["first"], row["last"])
                        self.charges[names.ONE].add(row["count"], scope.name, reason, *ids)
                        return

    def _chosen(self, at: int, scope: str, row: Any) -> dict[str, str]:
        """Return which member of a scope each receiver is in that receives through it only."""
        found = {}
        for to in row["to"]:
            ends = self._paths(at, row["home"], to, row["published"], row["session"]).ends
            members = {dict(end.chosen).get(scope, "") for end in ends}
            if len(members) == 1 and "" not in members:
                found[to] = members.pop()
        return found

    def request(self, row: Any) -> None:
        """Judge a kind of requests that were applied.

        Args:
            row: A row of `ScopeLog.requests`.
        """
        self.looked.over[names.CONTROL] += row["count"]
        source, service = row["from"], row["to"]
        home, to = (source, service) if row["type"] == "announcement" else (service, source)
        now = self._between(row["d0"], row["d1"])
        if any(self._graphs[at].visible(home, to) for at in now):
            return
        reason = f"{row['type']} of {source}: {to} sees nothing of {home}"
        ids = (row["first"], row["last"])
        self.charges[names.CONTROL].add(row["count"], service, reason, *ids)

    def _charge(self, promise: str, row: Any, reason: str) -> None:
        told = f"{row['subject']} of {row['home']}: {reason}"
        self.looked.over[promise] += row["count"]
        self.charges[promise].add(row["count"], row["to"], told, row["first"], row["last"])

    def _search(self, at: int, home: str, to: str, subject: str | None, session: str) -> Found:
        return paths(self._graphs[at], home, to, subject, session)

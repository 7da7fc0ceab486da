"""A domain under any operations in any order: identifiers, defaults, detection, and its journal."""

from typing import Any

import pytest
from eventservices.cns.domains import (
    AlreadyExistsError,
    ChannelPlace,
    Connection,
    ConnectionNotFoundError,
    CycleCreationForbiddenError,
    DiamondCreationForbiddenError,
)
from eventservices.cns.domains.records import DomainKind, DomainRecord, MemberRecord
from eventservices.cns.domains.state import Change, DomainState, Plan
from eventservices.cns.errors import ChannelNotFoundError
from hypothesis import given
from hypothesis import strategies as st
from support import domain_graphs as brute

MEMBER = MemberRecord(ChannelPlace("nats://b", "c"))
NUMBER = st.integers(0, 9)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add")),
        st.tuples(st.just("remove"), NUMBER),
        st.tuples(st.just("connect"), NUMBER, NUMBER),
        st.tuples(st.just("disconnect"), st.integers(0, 30)),
        st.tuples(st.just("default"), NUMBER),
    ),
    max_size=50,
)


class Played:
    """A domain, what must be true of it by hand, and the changes that a journal would keep."""

    def __init__(self, *, cycles: bool, diamonds: bool) -> None:
        self.state = DomainState(DomainRecord(DomainKind.EVENT, cycles, diamonds))
        self.changes: list[Change] = []
        self.members: list[int] = []
        self.edges: dict[int, tuple[int, int]] = {}
        self.used_members: list[int] = []
        self.used_connections: list[int] = []
        self.defaults: list[int | None] = [None, None]

    def commit(self, plan: Plan[Any]) -> None:
        for change in plan.changes:
            self.state.apply(change)
        self.changes += plan.changes

    def add(self) -> None:
        plan = self.state.plan_member(MEMBER)
        self.commit(plan)
        assert plan.result not in self.used_members
        self.used_members.append(plan.result)
        if not self.members:
            self.defaults = [plan.result, plan.result]
        self.members.append(plan.result)

    def remove(self, member: int) -> None:
        if member not in self.members:
            with pytest.raises(ChannelNotFoundError):
                self.state.plan_member_removal(member)
            return
        self.commit(self.state.plan_member_removal(member))
        self.members.remove(member)
        self.edges = {key: ends for key, ends in self.edges.items() if member not in ends}
        lowest = min(self.members, default=None)
        self.defaults = [lowest if each == member else each for each in self.defaults]

    def connect(self, supplier: int, consumer: int) -> None:
        expected = self.expected(supplier, consumer)
        connection = Connection(supplier, consumer)
        if expected is not None:
            with pytest.raises(expected):
                self.state.plan_connection(connection)
            return
        plan = self.state.plan_connection(connection)
        self.commit(plan)
        assert plan.result not in self.used_connections
        self.used_connections.append(plan.result)
        self.edges[plan.result] = (supplier, consumer)

    def expected(self, supplier: int, consumer: int) -> type[Exception] | None:
        """Return what must be raised, in the order of the standard; by brute force."""
        before = set(self.edges.values())
        more = before | {(supplier, consumer)}
        if not {supplier, consumer} <= set(self.members):
            return ChannelNotFoundError
        if (supplier, consumer) in before:
            return AlreadyExistsError
        if self.state.record.forbid_cycles and brute.cycles(more):
            return CycleCreationForbiddenError
        if self.state.record.forbid_diamonds and brute.pairs(more):
            return DiamondCreationForbiddenError
        return None

    def disconnect(self, connection: int) -> None:
        if connection not in self.edges:
            with pytest.raises(ConnectionNotFoundError):
                self.state.plan_connection_removal(connection)
            return
        self.commit(self.state.plan_connection_removal(connection))
        del self.edges[connection]

    def default(self, member: int) -> None:
        if member in self.members:
            self.commit(self.state.plan_defaults(supplier=member))
            self.defaults[0] = member

    def check(self, state: DomainState) -> None:
        assert sorted(state.members) == sorted(self.members)
        found = {
            key: (each.supplier_id, each.consumer_id) for key, each in state.connections.items()
        }
        assert found == self.edges
        record = state.record
        assert [record.default_supplier, record.default_consumer] == self.defaults


@pytest.mark.parametrize("cycles", [False, True])
@pytest.mark.parametrize("diamonds", [False, True])
@given(operations=OPERATIONS)
def test_a_domain_is_what_its_operations_make_of_it_and_so_is_its_journal(
    operations: list[tuple[str, int, int]], *, cycles: bool, diamonds: bool
) -> None:
    played = Played(cycles=cycles, diamonds=diamonds)
    first = played.state.record
    for name, *numbers in operations:
        getattr(played, name)(*numbers)
        played.check(played.state)
    again = DomainState(first)
    for change in played.changes:
        again.apply(change)
    played.check(again)
    assert again.record == played.state.record

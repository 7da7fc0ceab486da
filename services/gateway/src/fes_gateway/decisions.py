"""Decisions of a gateway that wait for its journal, and what is done about them."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from fes.gateway.outputs import Mutation, Output, PutRow

from fes_gateway.store import Tail

ENTRY_BYTES = 500
"""What a change that waits takes beside its value."""


def always() -> bool:
    """Report that a decision holds whatever others commit before it."""
    return True


def never() -> bool:
    """Report that a decision does not hold."""
    return False


def nobody(reason: str) -> None:
    """Tell nobody."""
    del reason


def nothing() -> None:
    """Do nothing."""


class Waiting(NamedTuple):
    """A decision that waits for the journal.

    Attributes:
        mutations: To commit.
        outputs: To perform then.
        holds: States whether it still holds after others committed something before it.
        then: Called once it is committed, before its outputs are performed.
        void: Called where it no longer holds and is not committed.
    """

    mutations: list[Mutation]
    outputs: list[Output]
    holds: Callable[[], bool] = always
    then: Callable[[], None] = nothing
    void: Callable[[], None] = nothing

    @property
    def size(self) -> int:
        """Bytes of memory that it accounts for."""
        return sum(
            ENTRY_BYTES + len(each.value) for each in self.mutations if isinstance(each, PutRow)
        )


class Others(NamedTuple):
    """What is done where others append to the journal too.

    Attributes:
        follow: Takes what they appended.
        abandon: Takes the outputs of a decision that no longer holds.
        rested: Awaited after each commit, and each time that something was followed.
    """

    follow: Callable[[Tail], None]
    abandon: Callable[[list[Output]], None]
    rested: Callable[[], Awaitable[None]]

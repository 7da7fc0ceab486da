"""Decisions of a gateway that wait for its journal, and their callbacks."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from fes.gateway.outputs import Mutation, Output, PutRow

from fes_gateway.store import Tail

ENTRY_BYTES = 500
"""Bytes of a waiting change beside its value."""


def always() -> bool:
    """Return True: a decision is valid whatever others commit before it."""
    return True


def never() -> bool:
    """Return False: a decision is not valid any more."""
    return False


def nobody(reason: str) -> None:
    """Ignore a reason."""
    del reason


def nothing() -> None:
    """Do nothing."""


class Waiting(NamedTuple):
    """A decision that waits for the journal.

    Attributes:
        mutations: To commit.
        outputs: To perform then.
        holds: Returns whether it is still valid after others committed something before it.
        then: Called once it is committed, before its outputs are performed.
        void: Called where it is no longer valid and is not committed.
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
    """Callbacks for a journal to which others append too.

    Attributes:
        follow: Accepts what they appended.
        abandon: Accepts the outputs of a decision that is no longer valid.
        rested: Awaited after each commit, and whenever something was followed.
    """

    follow: Callable[[Tail], None]
    abandon: Callable[[list[Output]], None]
    rested: Callable[[], Awaitable[None]]

"""Which of two connections gives way where they do not agree."""

import pytest
from eventservices.siena import Counters, IndexMismatchError, Semantics, SemanticsMismatchError
from eventservices.siena.agreement import Agreement
from eventservices.siena.presence import Digest, Message, Query, State, Who

OURS = Who("c5", "S", None, 50, 0)


def theirs(started_us: int, index: str | None = "kind", semantics: str = "subscription") -> Who:
    return Who("c1", "S", index, started_us, 0, semantics)


def state(who: Who) -> State:
    return State(who, 0, 1, ())


@pytest.mark.parametrize(
    ("message", "joining", "gives_way"),
    [
        (state(theirs(99)), True, True),
        (state(theirs(99)), False, False),
        (state(theirs(10)), False, True),
        (Digest(theirs(10)), False, True),
        (Digest(theirs(99)), True, False),
        (Digest(theirs(50)), False, True),
        (Query(theirs(10)), False, False),
        (Query(theirs(10)), True, True),
        (Query(theirs(99)), True, False),
    ],
)
def test_who_came_later_gives_way_and_who_joins_does_so_before_anybody_who_is_there(
    message: Message, *, joining: bool, gives_way: bool
) -> None:
    agreement = Agreement(None, Semantics.SUBSCRIPTION, Counters())
    assert agreement.hear(message, OURS, joining=joining) is gives_way
    assert (agreement.conflict is not None) is gives_way
    assert agreement.counters.index_conflicts == 1


@pytest.mark.parametrize(
    ("who", "error"),
    [
        (theirs(1), IndexMismatchError),
        (theirs(1, None, "advertisement"), SemanticsMismatchError),
        (theirs(1, None, "of another day"), SemanticsMismatchError),
    ],
)
def test_the_conflict_names_what_differs(who: Who, error: type[Exception]) -> None:
    agreement = Agreement(None, Semantics.SUBSCRIPTION, Counters())
    agreement.check()
    agreement.hear(Digest(who), OURS, joining=False)
    with pytest.raises(error, match="c1"):
        agreement.check()


def test_who_agrees_is_no_conflict() -> None:
    agreement = Agreement("kind", Semantics.ADVERTISEMENT, Counters())
    same = Digest(theirs(1, "kind", "advertisement"))
    assert not agreement.hear(same, OURS, joining=True)
    agreement.check()
    assert agreement.counters.index_conflicts == 0

"""When a gateway asks the naming and policy services again."""

from fes_gateway.guide.due import Due


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_question_is_due_at_once_and_again_after_its_answer_is_old() -> None:
    clock = Clock()
    due: Due[str] = Due(clock)
    assert due.need(["a"]) == frozenset()
    assert due.now() == ["a"]
    assert due.now() == [], "it is asked already"
    due.answered("a", 5.0)
    clock.now_s += 4.9
    assert due.now() == []
    clock.now_s += 0.1
    assert due.now() == ["a"]


def test_what_changed_while_it_was_asked_is_asked_again_at_once() -> None:
    """Else a right that was withdrawn meanwhile would hold until its decision's time is over."""
    due: Due[str] = Due(Clock())
    due.need(["a"])
    due.now()
    due.again("a")
    due.answered("a", 3600.0)
    assert due.now() == ["a"]


def test_an_answer_to_what_nobody_needs_any_more_is_forgotten() -> None:
    due: Due[str] = Due(Clock())
    due.need(["a"])
    due.now()
    assert due.need([]) == {"a"}
    due.answered("a", 5.0)
    due.again("a")
    assert list(due) == []

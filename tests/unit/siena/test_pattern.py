import pytest
from eventservices.errors import MalformedError
from eventservices.siena import (
    Filter,
    Pattern,
    TextError,
    covers_pattern,
    format_pattern,
    parse_pattern,
    sequence,
    where,
)

ON, OFF = where(("on", "=", True)), where(("on", "=", False))


def test_a_pattern_has_a_text_from_which_it_comes_back() -> None:
    text = "pattern{ filter{ on =true} filter{ on =false}}"
    assert format_pattern(sequence(ON, OFF)) == text
    assert parse_pattern(text) == sequence(ON, OFF)
    assert parse_pattern("pattern {filter{}}") == sequence(Filter())


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("pattern{}", 9),
        ("pattern{ filter{ a =1}", 23),
        ("pattern{ filter{ a =}}", 21),
        ("pattern{ event{ a=1}}", 10),
        ("pattern{ filter{} } x", 21),
        ("filter{}", 1),
        ("pattern{" + " filter{}" * 101 + "}", 910),
        ("", 1),
    ],
)
def test_what_is_no_pattern_is_refused_with_its_place(text: str, column: int) -> None:
    with pytest.raises(TextError) as caught:
        parse_pattern(text)
    assert caught.value.column == column


@pytest.mark.parametrize("length", [0, 101])
def test_a_pattern_has_at_least_one_filter_and_no_more_than_a_hundred(length: int) -> None:
    with pytest.raises(MalformedError, match=str(length)):
        Pattern((ON,) * length)


@pytest.mark.parametrize(
    ("general", "special", "expected"),
    [
        (["a >1"], ["a >2"], True),
        (["a >1", "b any"], ["a >2", "b =1"], True),
        (["a >1", "b any"], ["b =1", "a >2"], False),
        (["a >1"], ["a >2", "b =1"], False),
        (["a >1", ""], ["a >2"], False),
        (["", ""], ["a >2", "b =1"], True),
        (["a >2"], ["a >1"], False),
    ],
)
def test_a_pattern_covers_one_of_its_length_filter_by_filter(
    general: list[str], special: list[str], *, expected: bool
) -> None:
    def pattern(parts: list[str]) -> Pattern:
        return parse_pattern(f"pattern{{{' '.join(f'filter{{ {part} }}' for part in parts)}}}")

    assert covers_pattern(pattern(general), pattern(special)) is expected

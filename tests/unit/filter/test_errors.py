"""What a person may write wrongly: each error tells place, what was found and what was expected."""

import pytest
from fes.errors import FilterError, Place
from fes.filter import parse

ERRORS = [
    ("speed >> 30", 'expected a value, found ">"', 8),
    ("speed >", "expected a value, found the end of the filter", 8),
    ("= 'test'", 'expected a comparison, found "="', 1),
    ("rate > 30 AND", "expected a comparison, found the end of the filter", 14),
    ("3+5", 'expected a comparison, found "3+5"', 1),
    ("TRUE AND 3+5", 'expected a comparison, found "3+5"', 10),
    ("traffic-light", 'expected a comparison, found "traffic-light"', 1),
    ("(a = 1) = 3", 'expected a value, found "a = 1"', 2),
    ("a = 1 b", 'expected AND, OR or the end of the filter, found "b"', 7),
    ("a = 1)", 'expected AND, OR or the end of the filter, found ")"', 6),
    ("(a = 1", 'expected ")", found the end of the filter', 7),
    ("a IN (1 2)", 'expected "," or ")", found "2"', 9),
    ("a IN (b)", 'expected a string, a number, TRUE or FALSE, found "b"', 7),
    ("a IS 3", 'expected NULL, NOT NULL, TRUE or FALSE, found "3"', 6),
    ("a LIKE b", 'expected a string, found "b"', 8),
    ("a BETWEEN 1 OR 2", 'expected AND, found "OR"', 13),
    ("3 IS NULL", 'expected a name, found "3"', 1),
    ("EXISTS 3", 'expected a name, found "3"', 8),
    ("a < TRUE", 'expected "=" or "<>" beside TRUE, found <', 3),
    ("a + 'b' = 1", "expected a number, found \"'b'\"", 5),
    ("a != 3", 'found "!=", which is written <>', 3),
    ("a # 3", 'found "#", which means nothing outside quotes', 3),
    ("a = 'it''s", "the string that begins here has no end", 5),
    ('a = "b', "the quoted name that begins here has no end", 5),
    ("a = 9223372036854775808", 'number "9223372036854775808" does not fit 64 bit', 5),
    ("a = 1e999", 'number "1e999" does not fit 64 bit', 5),
    ("a LIKE 'x' ESCAPE 'ab'", "expected one character after ESCAPE, found 'ab'", 19),
    ("a LIKE '!x' ESCAPE '!'", 'expected "%", "_" or the escape itself after "!" in a pattern', 8),
    ("a b", 'expected a comparison, found "b"', 3),
    ("a = ", "expected a value, found the end of the filter", 5),
    ("()", 'expected a comparison, found ")"', 2),
    ("a = 1 AND OR b = 2", 'expected a comparison, found "OR"', 11),
    ("NOT", "expected a comparison, found the end of the filter", 4),
    ("a BETWEEN 1", "expected AND, found the end of the filter", 12),
    ("a NOT 3", 'expected BETWEEN, IN, LIKE, STARTS WITH, ENDS WITH or CONTAINS, found "3"', 7),
    ("a IN ()", 'expected a string, a number, TRUE or FALSE, found ")"', 7),
    ("a IN ('x', )", 'expected a string, a number, TRUE or FALSE, found ")"', 12),
    ("a IN 'x'", 'expected "(", found "\'x\'"', 6),
    ("a LIKE 'x' ESCAPE", "expected a string, found the end of the filter", 18),
    ("a STARTS 'x'", 'expected a comparison, found "STARTS"', 3),
    ("a CONTAINS 3", 'expected a string, found "3"', 12),
    ("EXISTS a = 1", 'expected AND, OR or the end of the filter, found "="', 10),
    ("a == 1", 'expected a value, found "="', 4),
    ("a = 'x' + 'y'", "expected a number, found \"'x'\"", 5),
    ("a && b", 'found "&&", which is written AND', 3),
    ("a || b", 'found "||", which is written OR', 3),
    ("-'x' = a", "expected a number, found \"'x'\"", 2),
    ("a > 1 > 2", 'expected AND, OR or the end of the filter, found ">"', 7),
    ("@ = 1", 'found "@", which means nothing outside quotes', 1),
    ("WITHIN 3", 'expected "(", found "3"', 8),
    ("WITHIN(53.3, -6.2)", 'expected ",", found ")"', 18),
    ("WITHIN(lat, -6.2, 300)", 'expected a latitude from -90 to 90, found "lat"', 8),
    ("WITHIN(53.3, -186.2, 300)", "expected a longitude from -180 to 180", 14),
    ("WITHIN(53.3, -6.2, -1)", "expected a number of metres from 0", 20),
    ("a IS NOT 3", 'expected NULL, TRUE or FALSE, found "3"', 10),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "column"), ERRORS)
def test_an_error_tells_what_was_found_what_was_expected_and_where(
    text: str, reason: str, column: int
) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text)
    assert caught.value.reason.startswith(reason)
    assert caught.value.place == Place(1, column)
    assert caught.value.text == text
    assert str(caught.value).splitlines()[-1].index("^") == column + 1


def test_there_are_forty_errors_and_more() -> None:
    assert len(ERRORS) >= 40

import math

import pytest
from eventservices.siena import (
    Notification,
    TextError,
    format_filter,
    format_notification,
    parse_filter,
    parse_notification,
    where,
)


def test_a_filter_reads_as_in_senp() -> None:
    parsed = parse_filter('filter{ a >5 b >*"ab"}')
    assert parsed == where(("a", ">", 5), ("b", ">*", "ab"))
    assert format_filter(parsed) == 'filter{ a >5 b >*"ab"}'


def test_every_operator_and_value_can_be_written() -> None:
    text = (
        'filter{ a != 1 b < 2.5 c > -3 d <= 1e3 e >= .5 f *< "x" g * "y" h any i = true '
        'j =x"00fF" any any k =Infinity}'
    )
    assert parse_filter(text) == where(
        ("a", "!=", 1),
        ("b", "<", 2.5),
        ("c", ">", -3),
        ("d", "<=", 1000.0),
        ("e", ">=", 0.5),
        ("f", "*<", "x"),
        ("g", "*", "y"),
        ("h", "any"),
        ("i", "=", True),
        ("j", "=", b"\x00\xff"),
        ("any", "any"),
        ("k", "=", math.inf),
    )


def test_an_empty_filter_and_notification_can_be_written() -> None:
    assert parse_filter(" filter { } ").constraints == ()
    assert format_filter(where()) == "filter{}"
    assert parse_notification("event{}") == Notification({})


def test_a_notification_keeps_types_and_order() -> None:
    text = 'event{ b="x\\"\\\\\\n\\001ä" a=1 d=1.0 c=false e=x"00" f=-Infinity}'
    parsed = parse_notification(text)
    assert list(parsed.items()) == [
        ("b", 'x"\\\n\x01ä'),
        ("a", 1),
        ("d", 1.0),
        ("c", False),
        ("e", b"\x00"),
        ("f", -math.inf),
    ]
    assert format_notification(parsed) == text


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("", 1, 1, "expected filter{, found the end"),
        ("event{}", 1, 1, "expected filter{, found 'event'"),
        ("filter{ a >5", 1, 13, "expected an attribute name or }, found the end"),
        ("filter{ a 5}", 1, 11, "expected an operator"),
        ("filter{ a >}", 1, 12, "expected a value"),
        ("filter{ a >b}", 1, 12, "expected a value"),
        ("filter{ a-b >5}", 1, 10, "names have no -"),
        ('filter{ a ="x}', 1, 12, "a string that does not end"),
        ('filter{ a ="x\\q"}', 1, 14, "unknown escape"),
        ('filter{ a ="\\777"}', 1, 13, "unknown escape"),
        ('filter{ a =x"0"}', 1, 12, "pairs of hexadecimal digits"),
        ("filter{ a =9223372036854775808}", 1, 12, "an integer of 64 bit"),
        ("filter{ a =NaN}", 1, 12, "an operand that something compares with"),
        ("filter{ a =1}\n}", 2, 1, "expected the end"),
        ("filter{\n a =1\n b =\u00a7}", 3, 5, "found"),
        ("filter{ " + "a" * 256 + " any}", 1, 9, "at most 255 characters"),
    ],
)
def test_an_error_names_the_place(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(TextError) as caught:
        parse_filter(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason in str(caught.value)


def test_an_error_shows_the_text_with_a_caret() -> None:
    with pytest.raises(TextError) as caught:
        parse_filter("filter{ a >}")
    _, shown, caret = str(caught.value).splitlines()
    assert shown[caret.index("^")] == "}"


def test_a_notification_has_each_name_once() -> None:
    with pytest.raises(TextError, match="each attribute once"):
        parse_notification("event{ a=1 a=2}")


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(TextError, match="more than"):
        parse_filter("filter{" + " " * 300_000 + "}")

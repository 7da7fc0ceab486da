"""What the operators make of values, and what they refuse."""

import math
from enum import Enum, IntEnum
from typing import Any

import pytest
from eventservices.cns.etcl import (
    EvaluationError,
    InvalidConstraintError,
    char_value,
    enum_value,
    parse,
)
from eventservices.cns.value import LongLong


class Colour(Enum):
    RED = 1


class Size(IntEnum):
    BIG = 1


EVENT: dict[str, Any] = {
    "n": 7,
    "wide": LongLong(7),
    "x": 7.0,
    "big": 2**63,
    "huge": 2**70,
    "least": -(2**63),
    "s": "text",
    "one": "H",
    "c": char_value("H"),
    "two": char_value("ab"),
    "yes": True,
    "e": enum_value("RED"),
    "typed": enum_value("RED", "Colour"),
    "other": enum_value("RED", "Wine"),
    "python": Colour.RED,
    "size": Size.BIG,
    "none": None,
    "nan": math.nan,
    "inf": math.inf,
    "list": [1, "a", 3],
    "enums": [enum_value("RED"), enum_value("GREEN")],
    "flags": [False, True],
    "empty": [],
    "record": {"a": 1},
    "exact": 2**53 + 1,
    "octets": b"abc",
}

VALUES = [
    ("1 + 1.0", 2.0),
    ("7/2", 3),
    ("-7/2", -3),
    ("7/-2", -3),
    ("-7/-2", 3),
    ("7/2.0", 3.5),
    ("2*3-4/2", 4),
    ("100/10/5", 2),
    ("1 - 2 - 3", -4),
    ("0.25 * 4 == 1", True),
    ("1/3 == 10/30", True),
    ("$n + TRUE", 8),
    ("TRUE + TRUE", 2),
    ("1 * (TRUE and TRUE)", 1),
    ("5 + 'a'", 102),
    ("$c + 1", 73),
    ("'a' + 'b'", 195),
    ("$n == $x", True),
    ("$n == $wide", True),
    ("$n == 7.5", False),
    ("$big > $least", True),
    ("$big == 9223372036854775808", True),
    ("$big == 9223372036854775808.0", True),
    ("$exact == 9007199254740992.0", False),
    ("$yes == 1", True),
    ("$yes == TRUE", True),
    ("TRUE > FALSE", True),
    ("$yes + 1 > 1.5", True),
    ("'bbb' > 'aaa'", True),
    ("'Z' < 'a'", True),
    ("'' < 'a'", True),
    ("$s == 'text'", True),
    ("$s != 'Text'", True),
    ("$one == 'H'", True),
    ("$one != 'HH'", True),
    ("'H' == 'H'", True),
    ("'H' == 72", True),
    ("72 == 'H'", True),
    ("$c == 'H'", True),
    ("$c < 'I'", True),
    ("$c == 72", True),
    ("72 <= $c", True),
    ("$c == $c", True),
    ("$e == RED", True),
    ("RED == $e", True),
    ("$e != GREEN", True),
    ("$e == $typed", True),
    ("$python == RED", True),
    ("$python == $typed", True),
    ("$size == BIG", True),
    ("'' ~ $s", True),
    ("'e' ~ $s", True),
    ("$s ~ $s", True),
    ("$s ~ 'tex'", False),
    ("1 in $list", True),
    ("1.0 in $list", True),
    ("98 in $octets", True),
    ("5 in $empty", False),
    ("RED in $enums", True),
    ("BLUE in $enums", False),
    ("TRUE in $flags", True),
    ("FALSE in list", EvaluationError),
    ("1 in list", True),
    ("exist $none", True),
    ("exist none", True),
    ("$nan == $nan", False),
    ("$nan != 1", True),
    ("$inf > 1e300", True),
    ("$inf + 1 == $inf", True),
    ("$yes and not FALSE", True),
    ("FALSE or $yes", True),
    ("FALSE and $nothing", False),
    ("TRUE or 5", True),
    ("not ($n == 8)", True),
]

REFUSED = [
    ("1/0", "division by zero"),
    ("1.0/0", "division by zero"),
    ("1/0.0", "division by zero"),
    ("1/FALSE", "division by zero"),
    ("18446744073709551615 + 1", "overflow"),
    ("$least - 1", "overflow"),
    ("1e300 * 1e300", "overflow"),
    ("$big * $big", "overflow"),
    ("$huge + 1", "more than 64 bits"),
    ("$huge * 1.5", "more than 64 bits"),
    ("$s + 1", "a string is not a number"),
    ("$one + 1", "a string is not a number"),
    ("$none + 1", "an empty Any is not a number"),
    ("$record + 1", "a structure is not a number"),
    ("$e + 1", "an enumeration is not a number"),
    ("$two + 1", "a structure is not a number"),
    ("TRUE + 'a'", "a boolean and a character"),
    ("$c + $yes", "a boolean and a character"),
    ("$n == '7'", None),
    ("$n == '77'", "cannot compare a number with a string"),
    ("$one == 72", "cannot compare a string with a number"),
    ("$c == $one", "cannot compare a character with a string"),
    ("$c == 'HH'", "cannot compare a character with a string"),
    ("$c == TRUE", "cannot compare a character with a boolean"),
    ("$yes == 'yes'", "cannot compare a boolean with a string"),
    ("$none == $none", "cannot compare an empty Any"),
    ("$list == $list", "cannot compare a sequence"),
    ("$record == $record", "cannot compare a structure"),
    ("$e < RED", "cannot compare an enumeration"),
    ("$e == 'RED'", "cannot compare an enumeration with a string"),
    ("$typed == $other", "cannot compare an enumeration"),
    ("$size == 1", "cannot compare an enumeration with a number"),
    ("$s == text", "cannot compare a string with an identifier"),
    ("RED == RED", "cannot compare an identifier with an identifier"),
    ("5 ~ 'a'", "cannot look for a number"),
    ("'a' ~ $n", "in a number"),
    ("1 in $s", "a string is not a sequence"),
    ("1 in $record", "a structure is not a sequence"),
    ("1 in $nothing", "no member|there is no nothing"),
    ("3 in $list", "cannot compare a number with a string"),
    ("'x' in $enums", "cannot compare a string"),
    ("$n and TRUE", "a number is not a boolean"),
    ("TRUE and $n", "a number is not a boolean"),
    ("FALSE or $s", "a string is not a boolean"),
    ("not $n", "a number is not a boolean"),
    ("not $n == 7", "a number is not a boolean"),
    ("($n / 0 == 1) or TRUE", "division by zero"),
]


@pytest.mark.parametrize(("text", "wanted"), VALUES)
def test_an_operation_has_its_value(text: str, wanted: Any) -> None:
    if wanted is EvaluationError:
        with pytest.raises(EvaluationError):
            parse(text).evaluate(EVENT)
        return
    found = parse(text).evaluate(EVENT)
    assert found == wanted
    assert type(found) is type(wanted)
    assert parse(text).matches(EVENT) is (wanted is True)


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_an_operation_without_value_is_false_and_so_is_its_inverse(
    text: str, reason: str | None
) -> None:
    assert not parse(text).matches(EVENT)
    if reason is None:
        return
    assert not parse(f"not ({text})").matches(EVENT)
    with pytest.raises(EvaluationError, match=reason):
        parse(text).evaluate(EVENT)


SENSELESS = [
    ("1 + 1", "expected a condition, found a number"),
    ("'text'", "expected a condition, found a string"),
    ("'a'", "expected a condition, found a character"),
    ("foo", "expected a condition, found an identifier"),
    ("5 + 'al'", "expected a number, found a string: 5 [+] 'al'"),
    ("5 ~ 'a'", "expected a string, found a number"),
    ("TRUE + 'a'", "a boolean and a character"),
    ("'a' and 'b'", "expected a boolean, found a character"),
    ("not 5", "expected a boolean, found a number"),
    ("$a or 1", "expected a boolean, found a number"),
    ("a + 1 > 2", "expected a number, found an identifier"),
    ("a == b", "cannot compare an identifier with an identifier"),
    ("$x < RED", "cannot compare an identifier|cannot compare anything with an identifier"),
    ("1 == 'al'", "cannot compare a number with a string"),
    ("TRUE == 'a'", "cannot compare a boolean with a character"),
    ("('x' ~ $a) == 'no'", "cannot compare a boolean with a string"),
    ("($a + 1) ~ 'x'", "expected a string, found a number"),
    ("TRUE or 5 ~ 'a'", "expected a string, found a number"),
    ("(5 + 'al') in $x", "expected a number, found a string"),
]
SENSIBLE = [
    "5 + 'a' == 102",
    "1 * (TRUE and TRUE) > 0",
    "TRUE == 1",
    "'a' == 97",
    "'a' < 'bc'",
    "$x == RED",
    "RED == $x",
    "$x",
    "RED in $x",
    "TRUE or (1/0 == 1)",
    "('a' in $x) + ('b' in $x) > 1",
    "exist $x == TRUE",
    "$a + $b == $c ~ $d",
    "",
]


@pytest.mark.parametrize(("text", "reason"), SENSELESS)
def test_what_can_never_be_true_is_told_without_an_event(text: str, reason: str) -> None:
    with pytest.raises(InvalidConstraintError, match=reason) as caught:
        parse(text).check()
    assert caught.value.text == text


@pytest.mark.parametrize("text", SENSIBLE)
def test_what_may_be_true_is_accepted(text: str) -> None:
    parse(text).check()

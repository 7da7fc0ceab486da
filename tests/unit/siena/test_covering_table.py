"""The covering table with its corrections: every row at, below and above its bound."""

import pytest
from eventservices.siena import Constraint, covers_constraint, parse_filter

YES = {
    "any covers every operator": ["a any", "a any | a =1 | a !=1 | a <1 | a >=1 | a *x'00'"],
    "unequal covers what leaves its operand out": [
        "a !=5",
        "a =6 | a <5 | a <=4.5 | a >5 | a >=6 | a !=5 | a !=5.0 | a >*'5' | a =true | a <'5'",
    ],
    "unequal covers another type, whatever it says": ["a !='5'", "a =5 | a <6 | a *x'35' | a >0.5"],
    "unequal covers an affix that its operand lacks": ["a !='abc'", "a >*'b' | a *<'b' | a *'x'"],
    "equal covers the equal value": ["a =5", "a =5 | a =5.0"],
    "equal covers itself among booleans": ["a =true", "a =true"],
    "less covers a value below": ["a <5", "a =4 | a =4.999 | a =-Infinity"],
    "less covers a lower bound": ["a <5", "a <5 | a <5.0 | a <4 | a <=4 | a <=4.9"],
    "at most covers up to its bound": ["a <=5", "a =5 | a <=5 | a <5 | a <=4 | a <5.0"],
    "greater covers a value above": ["a >5", "a =6 | a =5.001 | a =Infinity"],
    "greater covers a higher bound": ["a >5", "a >5 | a >6 | a >=6 | a >=5.1"],
    "at least covers from its bound": ["a >=5", "a =5 | a >=5 | a >5 | a >=5.0 | a >6"],
    "order holds among strings": ["a <'b'", "a ='a' | a <'b' | a <='azz' | a <'B'"],
    "order holds among booleans": ["a <=true", "a =false | a =true | a <true | a <=false"],
    "order holds among octets": ["a >x'01'", "a =x'02' | a >x'0100' | a >=x'ff'"],
    "prefix covers a longer one": ["a >*'ab'", "a >*'ab' | a >*'abc' | a ='ab' | a ='abz'"],
    "suffix covers a longer one": ["a *<'bc'", "a *<'bc' | a *<'abc' | a ='bc' | a ='xbc'"],
    "substring covers all that contains it": [
        "a *'b'",
        "a *'b' | a *'abc' | a >*'ab' | a *<'ba' | a ='b' | a ='xbx'",
    ],
    "an empty substring covers every affix": ["a *''", "a *'' | a >*'' | a *<'x' | a ='y'"],
    "greater covers a prefix above": ["a >'ab'", "a >*'abc' | a >*'b'"],
    "at least covers a prefix from its bound": ["a >='ab'", "a >*'ab' | a >*'aba' | a >*'c'"],
    "less covers a prefix that ends below": ["a <'b'", "a >*'a' | a >*'azz'"],
    "at most covers a prefix that ends below": ["a <='b'", "a >*'a' | a >*'azz'"],
}
NO = {
    "nothing but any covers any": ["a !=1", "a any"],
    "an empty substring does not cover any": ["a *''", "a any | a =5"],
    "unequal leaves its operand out": ["a !=5", "a =5 | a =5.0 | a <=5 | a >=5 | a >4 | a <5.5"],
    "unequal to another value": ["a !=5", "a !=6 | a !='5'"],
    "unequal to an affix of its operand": ["a !='abc'", "a >*'ab' | a *<'c' | a *'b' | a >='abc'"],
    "equal covers nothing wider": ["a =5", "a >=5 | a <=5 | a !=6 | a =6 | a ='5' | a >*'5'"],
    "equal and affixes": ["a ='ab'", "a >*'ab' | a *<'ab' | a *'ab'"],
    "less and its own bound": ["a <5", "a =5 | a <=5 | a <=5.0 | a <5.1 | a !=9 | a >1 | a <'5'"],
    "at most and more": ["a <=5", "a =5.1 | a <5.1 | a <=6 | a >=1 | a =true"],
    "greater and its own bound": ["a >5", "a =5 | a >=5 | a >4.9 | a <9 | a >'5' | a >false"],
    "at least and less": ["a >=5", "a =4 | a >4 | a >=4.9 | a <=9"],
    "ranges and integers between": ["a <=5", "a <6"],
    "prefix and a shorter one": ["a >*'abc'", "a >*'ab' | a ='ab' | a *<'abc' | a *'abc'"],
    "prefix and order": ["a >*'a'", "a >='a' | a <'b'"],
    "suffix and a shorter one": ["a *<'abc'", "a *<'bc' | a >*'abc' | a *'abc'"],
    "substring and what need not contain it": ["a *'abc'", "a *'b' | a >*'ab' | a ='ab' | a *<'c'"],
    "substring of another type": ["a *'b'", "a =x'62' | a *x'62' | a =5"],
    "greater and a prefix at its bound": ["a >'ab'", "a >*'ab' | a >*'a' | a *<'z' | a *'z'"],
    "at least and a prefix below": ["a >='ab'", "a >*'a' | a >*'aaz'"],
    "less and a prefix that its bound has": ["a <'abc'", "a >*'ab' | a >*'abc' | a >*'b' | a >*''"],
    "at most and a prefix that its bound has": ["a <='abc'", "a >*'ab' | a >*'abc' | a >*'z'"],
    "order and affixes of numbers": ["a <5", "a *<'1' | a *'1'"],
}
CASES = [
    pytest.param(rows[0], special, expected, id=f"{name}: {special}")
    for expected, table in ((True, YES), (False, NO))
    for name, rows in table.items()
    for special in rows[1].split(" | ")
]


def one(text: str) -> Constraint:
    (constraint,) = parse_filter(f"filter{{ {text} }}".replace("'", '"')).constraints
    return constraint


@pytest.mark.parametrize(("general", "special", "expected"), CASES)
def test_a_row_of_the_covering_table(general: str, special: str, *, expected: bool) -> None:
    assert covers_constraint(one(general), one(special)) is expected

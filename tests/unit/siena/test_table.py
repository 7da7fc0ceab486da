"""The filter table of an access point."""

from collections.abc import Mapping

import pytest
from eventservices.siena import Filter, FilterTable, Value, parse_filter
from eventservices.siena.matching import Match

FILTERS = [
    "", "a any", "a =1", "a =true", 'a ="1"', "a !=1", "a >0", "a <=1", 'a >*"ab"', 'a *<"b"',
    'a *"b"', 'a >*""', "a =1 b =2", "a >0 a <5", "b any", "a >*5", 'a ="x" a >*5', 'a *<""',
    'a x"00"'.replace("a x", "a >*x"),
]  # fmt: skip


def spied(match: Match, tried: list[int], number: int) -> Match:
    def spy(attributes: Mapping[str, Value]) -> bool:
        tried.append(number)
        return match(attributes)

    return spy


def table_of(*texts: str) -> FilterTable[str]:
    table: FilterTable[str] = FilterTable()
    for text in texts:
        table.add(text, parse_filter(f"filter{{ {text} }}"))
    return table


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({}, [""]),
        ({"a": 1}, ["", "a any", "a =1", "a >0", "a <=1", "a >0 a <5"]),
        ({"a": 1.0, "b": 2}, [
            "", "a any", "a =1", "a >0", "a <=1", "a =1 b =2", "a >0 a <5", "b any",
        ]),
        ({"a": True}, ["", "a any", "a =true", "a !=1"]),
        ({"a": "1"}, ["", "a any", 'a ="1"', "a !=1", 'a >*""', 'a *<""']),
        ({"a": "ab"}, [
            "", "a any", "a !=1", 'a >*"ab"', 'a *<"b"', 'a *"b"', 'a >*""', 'a *<""',
        ]),
        ({"a": float("nan")}, ["", "a any", "a !=1"]),
        ({"a": b"\x00\x01"}, ["", "a any", "a !=1", 'a >*x"00"']),
        ({"c": 1}, [""]),
    ],
)  # fmt: skip
def test_it_finds_the_filters_that_match_in_the_order_they_were_added(
    event: dict[str, object], expected: list[str]
) -> None:
    assert table_of(*FILTERS).match(event) == expected  # type: ignore[arg-type] # values of SIENA


def test_keys_of_equal_filters_come_in_their_own_order() -> None:
    table: FilterTable[int] = FilterTable()
    for key, text in enumerate(["a any", "a =1", "a any", "a =1", ""]):
        table.add(key, parse_filter(f"filter{{ {text} }}"))
    assert table.match({"a": 1}) == [0, 1, 2, 3, 4]
    table.remove(0)
    table.remove(4)
    assert table.match({"a": 1}) == [1, 2, 3]
    assert (len(table), 0 in table, 1 in table) == (3, False, True)


def test_a_key_has_one_filter() -> None:
    table = table_of("a =1")
    with pytest.raises(ValueError, match="already"):
        table.add("a =1", Filter())
    with pytest.raises(KeyError):
        table.remove("b")


def test_only_filters_that_a_value_leads_to_are_tried() -> None:
    tried: list[int] = []
    table: FilterTable[int] = FilterTable()
    for number in range(1000):
        table.add(number, parse_filter(f'filter{{ kind ="k{number}" rate >5 }}'))
    for number, node in enumerate(table._nodes.values()):
        assert node.rest is not None
        node.rest = spied(node.rest, tried, number)
    assert table.match({"kind": "k7", "rate": 6}) == [7]
    assert table.match({"kind": "k8", "rate": 5}) == []
    assert tried == [7, 8]

"""The events of the table of ETCL cases: a person, unions, alarms, films, students."""

from typing import Any

from eventservices.cns.etcl import enum_value, struct_value, union_value
from eventservices.cns.event import StructuredEvent, structured_event

ADDRESS: dict[str, Any] = {"street": "Takustr.", "number": 9, "city": "Berlin"}
PERSON = struct_value(
    "Person",
    {
        "first_name": "Firstname",
        "last_name": "Lastname",
        "age": 29,
        "home_address": ADDRESS,
        "phone_numbers": ["32132132", ""],
        "nv": [
            {"name": "priority", "value": "Very High"},
            {"name": "stuff", "value": "not important"},
        ],
        "person_profession": enum_value("STUDENT"),
        "aliases": ["Alias0", "Alias1", "Alias2"],
        "numbers": [10, 20, 30, 40, 50],
    },
)
OTHERS = (0, 1, 2, 3, 4, 5)
U1 = union_value(1, "long_", 100, labels=[0])
U2 = union_value(2, "string_", "String")
U3 = union_value(3, "named_value_", {"name": "this is the name", "value": "this is the value"})
U4 = union_value(4, "person_", PERSON)
U5 = union_value(5, "named_value_array", [{"name": "name", "value": "value"}])
UD = union_value(77, "default_person", PERSON, others=OTHERS)

UNI_DEFAULT = union_value(100, "defvalue", 2, others=[1, 2])
UNI_TWO = union_value(2, "L", 2)
FIVE_STRINGS = union_value(0, "strings", ["one", "two", "three", "four", "five"])


def alarm(type_name: str, name: str = "EventName", **header: Any) -> StructuredEvent:
    return structured_event(("DomainName", type_name), name, variable_header=header)


def with_data(**data: Any) -> StructuredEvent:
    return structured_event(("DomainName", "TypeName"), "EventName", filterable_data=data)


def house(label: str) -> Any:
    return {"in": enum_value(label)}


TESTING = structured_event(("TESTING", "TESTING"), "ALARM")
QUOTE = structured_event(
    ("Finance", "StockQuote"),
    "10",
    filterable_data={"stock_id": "stockQuotes", "stock_price": 200.0},
)
MOVIE = structured_event(
    ("DomainName", "MOVIE"),
    variable_header={"starlist": ["groucho", "harpo", "sam", "gummo"]},
)
SPARE_MOVIE = structured_event(
    ("DomainName", "MOVIE"), variable_header={"starlist": ["frodo", "bilbo", "sam", "gummo"]}
)


def scores(*points: int) -> StructuredEvent:
    return with_data(test=[{"name": "exam", "score": score} for score in points])


def student(gpa: int, midterm: int, final: int, attendance: list[int]) -> Any:
    tests = [{"name": "midterm", "value": midterm}, {"name": "final", "value": final}]
    return {"gpa": gpa, "tests": tests, "monthly_attendance": attendance}

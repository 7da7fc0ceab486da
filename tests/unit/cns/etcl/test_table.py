"""The table of ETCL cases, one row a test; "error" is what an implementation would raise."""

from typing import Any

import pytest
from eventservices.cns.etcl import EvaluationError, Filter, parse
from eventservices.cns.event import AnyEvent, structured_event
from support.etcl.data import (
    FIVE_STRINGS,
    MOVIE,
    PERSON,
    QUOTE,
    SPARE_MOVIE,
    TESTING,
    U1,
    U4,
    U5,
    UD,
    UNI_DEFAULT,
    UNI_TWO,
    alarm,
    house,
    scores,
    student,
    with_data,
)
from support.etcl.reference import reference_matches

ERROR = "error"
LONG = structured_event(("d", "t"), variable_header={"long": 10})
TEXT = structured_event(("d", "t"), filterable_data={"string": "text"})
TYPED = [
    {"name": "operation", "value": "operationName"},
    {"name": "value1", "value": 100},
    {"name": "value2", "value": 200},
]
LISTED = [{"name": "name1", "value": "value1"}, {"name": "name2", "value": "value2"}]
BROTHERS = (
    "$type_name == 'MOVIE' and (('groucho' in $starlist) + ('chico' in $starlist)"
    " + ('harpo' in $starlist) + ('zeppo' in $starlist) + ('gummo' in $starlist)) > 2"
)
EXAMS = "$test._length == 3 and ($test[0].score + $test[1].score + $test[2].score)/3 >=80"
USAGE = "$memsize / 5.5 + $cputime * 1275.0 + $filesize * 1.25 > 500000.0"
PASSES = "$.gpa < 80 or $.tests(midterm) > $.tests(final) or $.monthly_attendance[3] < 10"
NOT_LOST = "$type_name == 'CommunicationsAlarm' and not ($event_name == 'lost_packet')"
URGENT = "$type_name == 'CommunicationsAlarm' and $priority >= 1 and $priority <= 5"
RIGHTS = "exist $.header.variable_header(required_rights)"

ROWS: list[tuple[int, Any, str, Any]] = [
    (1, None, "1 + 2*3", 7),
    (2, None, "(1+2)*3", 9),
    (3, None, "1 + -1", 0),
    (4, None, "10e-3", 0.01),
    (4, None, "-10e-3", -0.01),
    (5, None, "2/3 > 0", False),
    (6, None, "(1.0 * 2/3) > 0", True),
    (7, None, "TRUE or (1/0)", True),
    (8, None, "FALSE and (1/0)", False),
    (9, None, "1/0", ERROR),
    (10, None, "'substr' ~ 'substring'", True),
    (11, None, "'not' ~ 'substring'", False),
    (12, None, "'oo'~'foobar'", True),
    (12, None, "'o1'~'foobar'", False),
    (13, None, "'H' + 1 > 32", True),
    (14, None, "'abc' <= 'abc'", True),
    (14, None, "'bbc' <= 'abc'", False),
    (15, None, "TRUE < FALSE", False),
    (15, None, "FALSE < TRUE", True),
    (16, None, "2==2 and 3<4", True),
    (17, 5, "", True),
    (18, PERSON, "$.first_name == 'Firstname'", True),
    (19, PERSON, "$.0 == 'Firstname'", True),
    (19, PERSON, "$.3.0 == 'Takustr.'", True),
    (20, PERSON, "$.age > 20 and $.first_name == 'Firstname'", True),
    (21, PERSON, "$.age < 30 or $.first_name == 'Adalbert'", True),
    (22, PERSON, "'321' ~ $.phone_numbers[0]", True),
    (23, PERSON, "$.nv(priority) == 'Very High'", True),
    (23, PERSON, "$.5(priority) == 'Very High'", True),
    (24, PERSON, "$.nv[0].name == 'priority' and $.nv[0].value == 'Very High'", True),
    (25, PERSON, "$.nv(stuff) > 'aaa'", True),
    (26, PERSON, "'Alias1' in $.aliases", True),
    (26, PERSON, "not ('AliasXYZ' in $.aliases)", True),
    (27, PERSON, "10 in $.numbers", True),
    (27, PERSON, "not (25 in $.numbers)", True),
    (28, PERSON, "$.person_profession == STUDENT", True),
    (29, PERSON, "exist $.third_name", False),
    (29, PERSON, "not exist $.third_name", True),
    (30, PERSON, "exist $._d", False),
    (31, PERSON, "exist $.nv._length", True),
    (31, PERSON, "exist $.home_address._length", False),
    (32, PERSON, "$.first_name._length == 2", ERROR),
    (33, PERSON, "$.phone_numbers._length == 2", True),
    (33, PERSON, "$.4._length == 2", True),
    (34, PERSON, "$._type_id == 'Person'", True),
    (35, PERSON, "$.first_name + 1 == 10", ERROR),
    (36, PERSON, "$.age == '29'", ERROR),
    (37, PERSON, "$.third_name == 'x'", ERROR),
    (38, U1, "$._d == 1 and $.(1) == 100", True),
    (38, U1, "$.long_ > 54", True),
    (39, U1, "$.string_", ERROR),
    (40, U4, "$.(4).home_address.street == 'Takustr.'", True),
    (40, U4, "$.(4).3.0 == 'Takustr.'", True),
    (41, U5, "$.(5)(name) == 'value'", True),
    (41, U5, "$.(5)._length == 1", True),
    (42, UD, "default $._d and $.().first_name == 'Firstname'", True),
    (43, TESTING, "$domain_name == 'TESTING'", True),
    (43, TESTING, "$event_name == 'ALARM'", True),
    (44, LONG, "$long == 10", True),
    (44, LONG, "$long == $.header.variable_header(long)", True),
    (45, TEXT, "$string == $.filterable_data(string)", True),
    (46, TESTING, "$.filterable_data(PROPERTY) < 5", ERROR),
    (47, QUOTE, "$stock_price >= 200.00", True),
    (47, QUOTE, "$stock_price <= 200.00", True),
    (47, QUOTE, "$stock_price == 200.00", True),
    (48, 10, "$ == 10", True),
    (48, 10, "$ == '10'", ERROR),
    (49, LISTED, "$name1 == $(name1)", True),
    (50, TYPED, "$value1 > 50 and $value2 > 50", True),
    (51, 7, "$ + 55 == 62", True),
    (51, 7.0, "$ + 55 == 62", True),
    (51, 7, "$ - 3 == 4", True),
    (51, 7.0, "$ * 55 == 385", True),
    (51, 7, "$ / 5.0 == 1.4", True),
    (52, 8, "$ > 8.5", False),
    (52, 9, "$ > 8.5", True),
    (53, 7, "(($ / 0.0) == 666) or true", ERROR),
    (54, "a match string", "$ ~ 'string with a match string in it'", True),
    (55, FIVE_STRINGS, "$.(0)._length > 4 and $.(0)._length < 6", True),
    (55, FIVE_STRINGS, "exist $.(0)[2]", True),
    (56, alarm("CommunicationsAlarm", "lost_packet"), NOT_LOST, False),
    (56, alarm("CommunicationsAlarm"), NOT_LOST, True),
    (57, alarm("CommunicationsAlarm", priority=2), URGENT, True),
    (57, alarm("CommunicationsAlarm", priority=20), URGENT, False),
    (58, MOVIE, BROTHERS, True),
    (58, SPARE_MOVIE, BROTHERS, False),
    (59, scores(75, 80, 85), EXAMS, True),
    (59, scores(75, 80, 80), EXAMS, False),
    (59, scores(75, 85), EXAMS, False),
    (60, with_data(memsize=5.5, cputime=0.00078431137, filesize=500000), USAGE, True),
    (60, with_data(memsize=5.5, cputime=0.00078431137, filesize=500), USAGE, False),
    (60, with_data(memsize=5.5, filesize=500), USAGE, ERROR),
    (61, student(90, 70, 60, [0, 1, 2, 10]), PASSES, True),
    (62, student(80, 70, 80, [0, 1, 2, 10]), PASSES, False),
    (63, alarm("CommunicationsAlarm", priority=1), RIGHTS, False),
    (63, alarm("CommunicationsAlarm", required_rights=1), RIGHTS, True),
    (64, alarm("CommunicationsAlarm"), "$.0.0.0.1 == 'CommunicationsAlarm'", True),
    (65, UNI_DEFAULT, "default $._d and $.defvalue == 2", True),
    (65, UNI_TWO, "default $._d and $.defvalue == 2", False),
    (66, UNI_DEFAULT, "default $._d and $.(2) == 2", ERROR),
    (67, house("HOUSE"), r"$.\in == HOUSE or $.\in == CAR", True),
    (67, house("GARAGE"), r"$.\in == HOUSE or $.\in == CAR", False),
]


@pytest.mark.parametrize(("row", "event", "text", "wanted"), ROWS)
def test_a_row_of_the_table_holds(row: int, event: Any, text: str, wanted: Any) -> None:
    constraint = parse(text)
    if wanted == ERROR:
        with pytest.raises(EvaluationError):
            constraint.evaluate(event)
    else:
        found = constraint.evaluate(event)
        assert found == wanted
        assert isinstance(found, bool) is isinstance(wanted, bool)
    assert constraint.matches(event) is (wanted is True)
    assert constraint.matches(AnyEvent(event)) is (wanted is True)
    assert reference_matches(text, event) is (wanted is True)


def test_the_table_is_whole() -> None:
    assert {row for row, *_ in ROWS} == set(range(1, 68))


def test_a_constraint_without_value_leaves_the_next_one_its_chance() -> None:
    both = Filter()
    both.add_constraints([((), "$not_exist == 3"), ((), "TRUE")])

    assert both.match_structured(TESTING)
    assert both.failed == 1


def test_the_time_is_a_utc_time_of_the_time_service() -> None:
    assert parse("$curtime._repos_id == 'IDL:omg.org/TimeBase/UtcT:1.0'").matches(PERSON)


def test_a_structured_event_knows_its_own_type() -> None:
    text = "$._repos_id == 'IDL:omg.org/CosNotification/StructuredEvent:1.0'"

    assert parse(text).matches(TESTING)
    assert not parse(text).matches(PERSON)

import pytest
from fes.filter import Operators, Term, parse, translate

COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">=", "EXISTS"))
SERVICE = Operators(subject={"="}, parameter=COMPARISONS, max_disjuncts=4)


def _text(term: Term) -> str:
    return f"{term.name or term.kind} {term.op} {term.value!r}"


def _terms(text: str, vocabulary: Operators = SERVICE) -> list[list[str]]:
    return [
        [_text(term) for term in terms] for terms in translate(parse(text), vocabulary).disjuncts
    ]


EXACT = [
    ("subject = 'Speed' AND rate > 30", [["rate > 30", "subject = 'Speed'"]]),
    ("NOT (rate > 30)", [["rate <= 30"]]),
    ("NOT (a = 1 OR NOT b < 2)", [["a <> 1", "b < 2"]]),
    ("rate IN (1, 2)", [["rate = 1"], ["rate = 2"]]),
    ("rate NOT IN (1, 2)", [["rate <> 1", "rate <> 2"]]),
    ("a = 1 AND (b = 1 OR b = 2)", [["a = 1", "b = 1"], ["a = 1", "b = 2"]]),
    ("a = 1 OR a = 1 AND b = 2", [["a = 1"]]),
    ("a IS NOT NULL", [["a EXISTS None"]]),
    ("a LIKE 'x'", [["a = 'x'"]]),
    ("", [[]]),
    ("a = 1 OR TRUE", [[]]),
    ("FALSE", []),
    ("a = 1 AND a = 2", []),
]


@pytest.mark.parametrize(("text", "terms"), EXACT)
def test_what_the_service_applies_is_translated_exactly(text: str, terms: list[list[str]]) -> None:
    assert _terms(text) == terms
    assert not translate(parse(text), SERVICE).widened


WIDENED = [
    ("rate * 2 > 60", [["rate EXISTS None"]], "it is not one name compared with constants"),
    ("a > b", [["a EXISTS None", "b EXISTS None"]], "it is not one name compared with constants"),
    (
        "a = 1 AND x LIKE 'D_%x'",
        [["a = 1", "x >= 'D'", "x < 'E'"]],
        "does not apply LIKE to parameter x",
    ),
    ("a = 1 AND @Priority > 3", [["a = 1"]], "does not apply > to attribute Priority"),
    ("a = 1 OR @Priority > 3", [[]], "does not apply > to attribute Priority"),
    ("subject STARTS WITH 'S'", [[]], "does not apply STARTS WITH to the subject"),
    ("NOT EXISTS a", [[]], "does not apply NOT EXISTS to parameter a"),
    ("a IN (1, 2, 5, 7, 9)", [["a >= 1", "a <= 9"]], "more than 4 alternatives"),
    (
        "(a = 1 OR b = 1) AND (c = 1 OR d = 1) AND (e = 1 OR f = 1) AND z = 2",
        [["z = 2", "a = 1", "c = 1"], ["z = 2", "a = 1", "d = 1"],
         ["z = 2", "b = 1", "c = 1"], ["z = 2", "b = 1", "d = 1"]],
        "more than 4 alternatives",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "terms", "why"), WIDENED)
def test_what_the_service_cannot_apply_is_widened_and_named(
    text: str, terms: list[list[str]], why: str
) -> None:
    assert _terms(text) == terms
    (reason,) = translate(parse(text), SERVICE).widened
    assert why in reason


def test_a_service_of_subjects_gets_the_subject_and_tells_the_rest() -> None:
    steam = Operators(subject={"="})
    translation = translate(parse("subject = 'Speed' AND rate > 70"), steam)
    assert translation.disjuncts == ((Term("subject", "", "=", "Speed"),),)
    assert translation.widened == (
        "rate > 70 is not applied: the service does not apply > to parameter rate",
    )


def test_a_mapping_is_inverted() -> None:
    def kilometres(term: Term) -> Term | None:
        if term.name != "miles" or isinstance(term.value, str):
            return None
        return Term(term.kind, "km", term.op, term.value * 1.6)

    service = Operators(parameter=COMPARISONS, renaming=kilometres)
    assert _terms("miles > 10 AND other = 1", service) == [["km > 16.0"]]
    (reason,) = translate(parse("miles > 10 AND other = 1"), service).widened
    assert reason == "other = 1 is not applied: the mapping of parameter other cannot be inverted"


def test_a_service_with_intervals_only_gets_the_interval_of_an_equality() -> None:
    service = Operators(parameter={"<=", ">="})
    assert _terms("rate = 5", service) == [["rate >= 5", "rate <= 5"]]
    assert _terms("rate IN (5, 7)", service) == [["rate >= 5", "rate <= 7"]]
    assert _terms("rate < 5 AND flag", service) == [["rate <= 5"]]


def test_a_service_with_sets_and_patterns_gets_them_whole() -> None:
    service = Operators(parameter={"IN", "LIKE", "NOT CONTAINS"})
    assert _terms("a IN (1, 2)", service) == [["a IN (1, 2)"]]
    assert _terms("a LIKE 'x!_y_' ESCAPE '!'", service) == [["a LIKE ('x\\\\_y_', '\\\\')"]]
    assert _terms("a NOT LIKE '%x%'", service) == [["a NOT CONTAINS 'x'"]]


def test_only_the_first_reasons_are_told_one_by_one() -> None:
    text = " AND ".join(f"a{number} LIKE '_x'" for number in range(50))
    widened = translate(parse(text), Operators()).widened
    assert len(widened) == 33
    assert widened[-1] == "and 18 more"


def test_terms_with_unlike_constants_are_unlike() -> None:
    terms = {Term("parameter", "b", "=", value) for value in (True, 1, 1.0, "1")}
    listed = {Term("parameter", "b", "IN", values) for values in ((True,), (1,), (1.0,))}
    assert (len(terms), len(listed)) == (4, 3)
    assert Term("parameter", "b", "=", 1.0) == Term("parameter", "b", "=", 1.0)

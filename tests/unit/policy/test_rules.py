"""Rules decide, carry filters, and what of them has no effect is reported."""

from pathlib import Path

import pytest
from eventservices.bus.core import Decision
from eventservices.bus.filters import Subject, compile_filter
from eventservices.bus.wire.policy import Question
from fes.cli.main import _dispatch, _parser
from fes.filter import Filter
from fes.model import Event
from fes_policy import Engine, PolicyError, parse_rules
from fes_policy.building import Building, Place, User, load_building
from fes_policy.cases import Case, failures
from fes_policy.conflicts import conflicts
from fes_policy.engine import GRACE_US
from fes_policy.rules import filter_of, text_of
from fes_policy.whereabouts import Whereabouts

DOOR = "ie.tcd.Door"
BUILDING = Building(
    users={"ann": User(("staff",), ("00000000000a",)), "bob": User(("guests",))},
    places={"floor": Place(), "room": Place("floor", ("s1",)), "hall": Place("", ("s2",))},
    events=(DOOR, "ie.tcd.Mail"),
)
ALL = "permit (principal, action, resource);"
FLOOR, OPEN = f'@filter("floor = 1") {ALL}', f"@filter(\"kind = 'open'\") {ALL}"
HIDDEN = '@filter("hidden = TRUE") forbid (principal, action, resource);'
NOON_US = 43_200_000_000


def engine_of(rules: str, station: str = "") -> Engine:
    whereabouts = Whereabouts(BUILDING)
    if station:
        whereabouts.sighted(station, "00000000000a", NOON_US)
    return Engine(parse_rules(rules), BUILDING, whereabouts)


def decided(rules: str, user: str, event: str = DOOR, station: str = "") -> Decision:
    question = Question(user, event, "desk", "")
    return engine_of(rules, station).decide(question, NOON_US).decision


def passes(decision: Decision, **values: object) -> bool:
    return compile_filter(decision.filter)(Subject(values, {}, "ann", "desk")) is True


def test_nothing_is_permitted_without_a_rule() -> None:
    decision = decided(
        '@id("mail") permit (principal, action, resource == Event::"ie.tcd.Mail");', "ann"
    )
    assert not decision.permit
    assert "no rule permits it" in decision.reason


def test_the_filters_of_several_permits_let_pass_what_any_does() -> None:
    rules = """@id("a") @filter("n = 1") permit (principal, action, resource);
    @id("b") @filter("n = 2") permit (principal, action, resource);"""
    decision = decided(rules, "ann")
    assert [passes(decision, n=n) for n in (1, 2, 3)] == [True, True, False]


def test_a_forbid_with_a_filter_withholds_what_it_accepts() -> None:
    rules = """@id("all") permit (principal, action, resource);
    @id("secret") @filter("level > 3") forbid (principal, action, resource);"""
    decision = decided(rules, "ann")
    assert [passes(decision, level=n) for n in (3, 4)] == [True, False]
    assert passes(decision, other=1)


def test_a_forbid_without_a_filter_overrides() -> None:
    rules = """permit (principal, action, resource);
    @id("bob") forbid (principal == User::"bob", action, resource);"""
    assert not decided(rules, "bob").permit
    assert decided(rules, "ann").permit


def test_a_place_counts_as_long_as_its_sighting_and_with_what_it_is_within() -> None:
    rules = """permit (principal, action, resource)
    when { context has places && context.places.contains("floor") };"""
    engine, question = engine_of(rules, "s1"), Question("ann", DOOR, "desk", "")
    assert engine.decide(question, NOON_US).decision.permit
    later = NOON_US + int(BUILDING.greatest_age_s * 1e6)
    assert not engine.decide(question, later).decision.permit
    assert not decided(rules, "ann", station="s2").permit


@pytest.mark.parametrize(
    ("condition", "reads"),
    [
        ("", False),
        ('when { context.device == "desk" && context has place }', False),
        ("when { context.minute < 1080 }", True),
        ('unless { [6, 7].contains(context["weekday"]) }', True),
        ("when { context has minute }", True),
        ("when { context == {} || true }", True),
    ],
)
def test_a_decision_ends_with_its_lifetime_and_with_the_minute_where_a_rule_reads_the_time(
    condition: str, *, reads: bool
) -> None:
    rules = parse_rules(f"permit (principal, action, resource) {condition};")
    engine = Engine(rules, BUILDING, Whereabouts(BUILDING))
    question = Question("ann", DOOR, "desk", "")
    assert engine.decide(question, NOON_US).decision.until_us == NOON_US + 30_000_000
    late = NOON_US + 50_000_000
    expected = NOON_US + 60_000_000 + GRACE_US if reads else late + 30_000_000
    assert engine.decide(question, late).decision.until_us == expected


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ("permit (principal, action", "rules.cedar:1: unexpected end"),
        (
            '// a; "b\n\npermit (principal, action, resource);\n\n// c\nforbid (who);',
            "cedar:6: ",
        ),
        ('@id("a;\\"b") permit (principal, action, resource);\npermit(x);', "cedar:2: "),
        ("\n" + "9" * 5_000, "cedar:2: .{,350}$"),
        ('permit (principal, action, resource) when { context.a == "', "cedar:1: "),
        ('@id("r") @filter("n >") permit (principal, action, resource);', "rule 'r': filter"),
        (
            '@id("r") @filter("n LIKE \'a%b\'") permit (principal, action, resource);',
            "cannot apply",
        ),
        ('@id("r") @filter("subject = \'x\'") permit (principal, action, resource);', "subject"),
        ('@id("r") permit (principal, action, resource); ' * 2, "twice"),
    ],
)
def test_a_bad_rule_is_named(rules: str, reason: str) -> None:
    with pytest.raises(PolicyError, match=reason):
        parse_rules(rules, "rules.cedar")


def test_what_has_no_effect_is_reported() -> None:
    rules = """@id("ok")
    permit (principal in Group::"staff", action, resource == Event::"ie.tcd.Door");
    @id("guests") permit (principal in Group::"guests", action, resource == Event::"ie.tcd.Door");
    @id("no guests") forbid (principal in Group::"guests", action, resource);
    @id("nobody") permit (principal in Group::"owners", action, resource);
    @id("empty") @filter("n = 1 AND n = 2")
    permit (principal in Group::"staff", action, resource == Event::"ie.tcd.Mail");
    @id("small") @filter("n < 5")
    permit (principal in Group::"staff", action, resource == Event::"ie.tcd.Mail");
    @id("no small") @filter("n < 9")
    forbid (principal, action, resource == Event::"ie.tcd.Mail");"""
    found = "\n".join(conflicts(parse_rules(rules), BUILDING))
    assert "'guests' has no effect" in found
    assert "'nobody' has no effect" in found
    assert "'empty': its filter accepts nothing" in found
    assert "'small' and forbid 'no small' exclude each other" in found
    assert "'ok'" not in found


def test_a_permit_for_one_bus_is_not_reported_since_nobody_states_which_there_are() -> None:
    rules = """@id("bus") permit (principal, action, resource) when { context.bus == "office" };
    @id("nobody") permit (principal == User::"eve", action, resource);"""
    (found,) = conflicts(parse_rules(rules), BUILDING)
    assert "'nobody' has no effect" in found


def test_two_hundred_rules_and_a_thousand_users_are_decided() -> None:
    groups = [f"g{number}" for number in range(20)]
    users = {f"u{n}": User((groups[n % 20],)) for n in range(1000)}
    building = Building(users=users, events=tuple(f"e.n{n}" for n in range(10)))
    rules = parse_rules(
        "".join(
            f'@id("r{n}") @filter("n = {n}") permit (principal in Group::"g{n % 20}", action, '
            f'resource == Event::"e.n{n // 20}");'
            for n in range(200)
        )
    )
    engine = Engine(rules, building, Whereabouts(building))
    for number in range(0, 1000, 37):
        found = engine.decide(Question(f"u{number}", "e.n3", "desk", ""), NOON_US)
        assert found.decision.permit
        assert [each.id for each in found.rules] == [f"r{60 + number % 20}"]
    assert conflicts(rules, building) == []


def test_a_case_that_is_decided_otherwise_is_reported() -> None:
    rules = parse_rules(
        '@id("r") @filter("n = 1") permit (principal in Group::"staff", action, resource);'
    )
    cases = (
        Case("ann", DOOR, "permit", rule="r", passes=({"n": 1},), stops=({"n": 2},)),
        Case("bob", DOOR, "permit"),
        Case("ann", DOOR, "permit", passes=({"n": 2},)),
    )
    found = failures(cases, rules, BUILDING)
    assert [each[:6] for each in found] == ["case 2", "case 3"]


def test_the_commands_check_explain_and_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.yaml").write_text(
        "users: {ann: {groups: [staff], badges: [00000000000a]}}\n"
        "places: {room: {stations: [s1]}}\nevents: [ie.tcd.Door]\n"
    )
    (tmp_path / "r.cedar").write_text(
        '@id("room") permit (principal in Group::"staff", action, resource)\n'
        'when { context has place && context.place == "room" };'
    )
    (tmp_path / "c.yaml").write_text(
        "cases:\n  - {user: ann, event: ie.tcd.Door, place: room, expect: permit}\n"
        "  - {user: ann, event: ie.tcd.Door, expect: permit}\n"
    )
    common = [str(tmp_path / "r.cedar"), "--building", str(tmp_path / "b.yaml")]

    def run(*arguments: str) -> int:
        return _dispatch(_parser().parse_args(["policy", *arguments]))

    assert run("check", *common) == 0
    assert run("explain", *common, "--user", "ann", "--event", DOOR, "--place", "room") == 0
    assert "permit room" in capsys.readouterr().out
    assert run("test", *common, str(tmp_path / "c.yaml")) == 1
    assert "case 2 (ann, ie.tcd.Door): expected permit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("users: [", "b.yaml"),
        ("users: {ann: {badges: [xyz]}}", "badges"),
        ("places: {a: {within: b}}", "no place 'b'"),
        ("places: {a: {within: b}, b: {within: a}}", "within itself"),
        ("events: ['a..b']", "label 2"),
        ("unknown: 1", "b.yaml:1:1: unknown"),
        ("users:\n  ann: {}\n  ann: {groups: [staff]}", "b.yaml:3:3: users.ann: .* twice"),
        ("users:\n  ann: {groups: staff}", "b.yaml:2:17: users.ann.groups: expected a list"),
        ("greatest_age_s: 2001-02-30", "b.yaml:1:17: greatest_age_s: expected a number"),
        ("greatest_age_s: " + "9" * 5_000, "b.yaml:1:17: greatest_age_s: "),
        ("users: " + "[" * 3_000, "b.yaml:1:"),
        ("a: &a [x]\nb: {<<: *a}", "b.yaml:2:5: b: merge keys"),
        ("", "the file is empty"),
    ],
)
def test_a_bad_building_is_named(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "b.yaml").write_text(text)
    with pytest.raises(PolicyError, match=reason):
        load_building(tmp_path / "b.yaml")


@pytest.mark.parametrize(
    "rules",
    [(ALL,), (FLOOR,), (FLOOR, OPEN, HIDDEN), (ALL, HIDDEN)],
)
@pytest.mark.parametrize("floor", [1, 2])
@pytest.mark.parametrize("rest", [{}, {"kind": "open"}, {"hidden": True}, {"hidden": False}])
def test_gateways_and_buses_get_the_same_filter_of_the_rules(
    rules: tuple[str, ...], floor: int, rest: dict[str, object]
) -> None:
    values = {"floor": floor, **rest}
    deciding = parse_rules("\n".join(rules)).rules
    carried, text = filter_of(deciding), text_of(deciding)
    passes = carried is None or compile_filter(carried)(Subject(values, {}, "", "")) is True
    assert passes == (not text or Filter.of(text).matches(Event.of("e", values)))

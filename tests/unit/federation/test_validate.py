import argparse
import io
from pathlib import Path

import pytest
from fes.cli.validate import add_parser, validate


def run(
    *paths: Path, environment: dict[str, str] | None = None, report: bool = False
) -> tuple[int, list[str]]:
    out = io.StringIO()
    status = validate(paths, environment or {}, out, report=report)
    return status, out.getvalue().splitlines()


@pytest.fixture
def file(tmp_path: Path, small: str) -> Path:
    path = tmp_path / "federation.yaml"
    path.write_text(small.replace("kind: cns", "kind: memory"))
    return path


def test_no_arguments_are_not_success() -> None:
    assert run() == (2, ["fes validate: name at least one federation file"])


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    status, lines = run(tmp_path / "none.yaml")
    assert status == 1
    assert lines == [f"{tmp_path}/none.yaml: cannot be read: No such file or directory"]


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    assert run(tmp_path)[0] == 1


def test_the_example_has_no_errors(root: Path) -> None:
    status, lines = run(root / "scenarios/traffic/federation.yaml")
    assert status == 0, lines
    assert lines[-1].startswith("1 file checked: no errors")


def test_findings_stand_one_a_line_and_count(file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text(file.read_text().replace("town", '"a\\n\\e[31mb*"'))
    status, lines = run(file, broken)
    assert status == 1
    assert len([line for line in lines if line.startswith(str(broken))]) == 1


def test_a_line_cannot_command_a_terminal(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text('"\\e[31m\\nx": 1\n')
    _, lines = run(broken)
    assert all(line.isprintable() for line in lines)
    assert any("\\x1b[31m\\nx: unknown key" in line for line in lines)


@pytest.mark.parametrize("port", ["0", "99999", "x"])
def test_a_brokers_port_that_is_none_is_named_without_its_password(file: Path, port: str) -> None:
    text = file.read_text().replace("{kind: mqtt}", f"{{kind: mqtt, url: 'mqtt://a:pw@h:{port}'}}")
    file.write_text(text)
    status, lines = run(file)
    assert status == 1
    expected = f"brokers.mqtt.url: the port of 'h:{port}' is not a number from 1 to 65535"
    assert lines[0] == f"{file}:6:27: {expected}"
    assert "pw" not in "".join(lines)


def test_an_unknown_kind_makes_the_file_invalid(file: Path) -> None:
    file.write_text(file.read_text().replace("kind: memory", "kind: memmory"))
    status, lines = run(file)
    assert status == 1
    assert any("no adapter for kind 'memmory'" in line for line in lines)


def test_a_mapping_rule_that_is_not_well_formed_makes_the_file_invalid(file: Path) -> None:
    file.write_text(file.read_text().replace("subject: Speed}]", "subject: FES_Speed}]"))
    status, lines = run(file)
    assert status == 1
    assert any("mappings.speed[0]: subjects that begin with FES_ are reserved" in x for x in lines)


def test_a_mapping_rule_that_cannot_work_makes_the_file_invalid(file: Path) -> None:
    rule = "subject: Speed, dbc: {file: none.dbc, message: M}}]"
    file.write_text(file.read_text().replace("subject: Speed}]", rule))
    status, lines = run(file)
    assert status == 1
    assert any(":22:11: mappings.speed[0]:" in x and "none.dbc" in x for x in lines), lines


def test_overrides_are_checked_too(file: Path) -> None:
    status, lines = run(file, environment={"FES__CLOCK__SPEED": "-1"})
    assert status == 1
    assert lines[-1].startswith("FES__CLOCK__SPEED: clock.speed:")


def test_the_command_line_takes_files() -> None:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    assert parser.parse_args(["validate", "a", "b"]).paths == [Path("a"), Path("b")]
    assert parser.parse_args(["validate"]).paths == []


def test_what_is_degraded_is_told_to_those_who_ask_and_is_no_warning(root: Path) -> None:
    path = root / "scenarios/traffic/federation.yaml"
    status, lines = run(path, report=True)

    assert status == 0
    told = [line for line in lines if "info: requests[0]: events from cns-v-FES0001 at" in line]
    assert len(told) == 1
    assert "degraded Reliability, Priority;" in told[0]
    assert [line for line in lines if line not in told] == run(path)[1]


def test_a_file_with_errors_gets_no_report(file: Path) -> None:
    file.write_text(file.read_text().replace("kind: memory", "kind: memmory"))
    assert run(file, report=True) == run(file)


def test_the_command_line_takes_the_wish_for_a_report() -> None:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    assert parser.parse_args(["validate", "--report", "a"]).report
    assert not parser.parse_args(["validate", "a"]).report


def test_rules_that_give_two_events_of_a_service_one_identity_are_refused(file: Path) -> None:
    """The lists of two gateways count together: what both make of one event meets again."""
    text = (
        file.read_text()
        .replace("kind: steam", "kind: memory")
        .replace("city: {}", "city: {}\n      bus: {mappings: [other]}")
    )
    rule = "{subject: Wheel, native: {subject: Frame}, direction: in"
    for name, expected in (("", 1), (", name: right", 0)):
        lists = f"  speed: [{rule}}}]\n  other: [{rule}, rest: drop{name}}}]"
        changed = text.replace("  speed: [{subject: Speed}]", lists)
        file.write_text(changed)
        status, lines = run(file)
        assert status == expected, lines
        found = [line for line in lines if "identities of those of" in line]
        assert len(found) == expected
        assert all("mappings.other[0]" in line and "mappings.speed[0]" in line for line in found)


def test_equal_rules_at_two_adapters_and_rules_at_two_services_do_not_clash(file: Path) -> None:
    rule = "{subject: Wheel, native: {subject: Frame}, direction: in"
    lists = f"  speed: [{rule}}}]\n  again: [{rule}}}]\n  other: [{rule}, rest: drop}}]"
    text = (
        file.read_text()
        .replace("kind: steam", "kind: memory")
        .replace("  speed: [{subject: Speed}]", lists)
    )
    text = text.replace("city: {}", "city: {mappings: [other]}\n      bus: {mappings: [again]}")
    file.write_text(text)
    status, lines = run(file)
    assert status == 0, lines


@pytest.mark.parametrize("blank", ["", " ", "\\t"])
def test_a_blank_filter_in_the_file_accepts_everything(file: Path, blank: str) -> None:
    text = file.read_text().replace("kind: steam", "kind: memory")
    file.write_text(text.replace("\"subject = 'Speed'\"", f'"{blank}"'))
    status, lines = run(file)
    assert status == 0, lines

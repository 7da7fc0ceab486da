"""Configuration from outside: a file, variables, secrets."""

from pathlib import Path

import pytest
from support.processes.stack import ROOT, Stack

FEDERATION = ROOT / "scenarios/traffic/federation.yaml"


def run(stack: Stack, *words: str, options: tuple[str, ...] = ()) -> tuple[int, list[str]]:
    """Run a service once, beside the stack; return its status and what it said."""
    done = stack.compose("run", "--rm", "--no-deps", "-T", *options, *words, check=False)
    said = done.stdout + done.stderr
    lines = [line for line in said.splitlines() if not line.lstrip().startswith("Container")]
    return done.returncode, [line for line in lines if line.strip()]


def mounted(tmp_path: Path, text: str) -> tuple[str, ...]:
    """Return the options that put a text where a container looks for its federation."""
    file = tmp_path / "federation.yaml"
    file.write_text(text)
    file.chmod(0o644)
    tmp_path.chmod(0o755)
    return ("--volume", f"{file}:/etc/fes/other.yaml:ro")


BAD = {
    "an unknown key": ("system: traffic ", "sistem: traffic ", ":10:1: sistem: unknown key"),
    "a gateway that is not there": ("gateway: g1", "gateway: g9", "requests[0].gateway"),
    "a wrong type": ("speed: ${TRAFFIC_SPEED:-1.0}", "speed: fast", "clock.speed"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("service", ["g1", "g1-cns"])
def test_a_bad_file_ends_a_container_with_a_line_that_names_the_place(
    stack: Stack, tmp_path: Path, case: str, service: str
) -> None:
    old, new, told = BAD[case]
    text = FEDERATION.read_text()
    assert old in text
    options = (
        *mounted(tmp_path, text.replace(old, new)),
        "-e",
        "FES_FEDERATION=/etc/fes/other.yaml",
    )
    status, lines = run(stack, service, options=options)
    assert status == 2, lines
    assert any("/etc/fes/other.yaml:" in line and told in line for line in lines), lines
    assert not any("Traceback" in line for line in lines)


def test_the_image_validates_files(stack: Stack, tmp_path: Path) -> None:
    options = (*mounted(tmp_path, FEDERATION.read_text()), "--entrypoint", "fes")
    status, lines = run(stack, "g1", "validate", "/etc/fes/other.yaml", options=options)
    assert (status, lines[-1]) == (0, "1 file checked: no errors, 0 warnings")
    wrong = mounted(tmp_path, FEDERATION.read_text().replace("kind: siena,", "kind: sienna,"))
    status, lines = run(
        stack, "g1", "validate", "/etc/fes/other.yaml", options=(*wrong, "--entrypoint", "fes")
    )
    assert status == 1
    assert "event_services.siena-m.kind" in lines[0]


def test_a_bad_variable_ends_a_container_with_its_name(stack: Stack) -> None:
    status, lines = run(stack, "g1", options=("-e", "FES__CLOCK__SPEED=fast"))
    assert status == 2
    assert "FES__CLOCK__SPEED" in lines[-1]


def test_an_absent_secret_ends_an_adapter_with_the_name_of_its_file(stack: Stack) -> None:
    variables = {
        "FES__BROKERS__CNS__USER": "fes",
        "FES__BROKERS__CNS__PASSWORD_FILE": "/run/secrets/nothing",
    }
    options = tuple(word for name, value in variables.items() for word in ("-e", f"{name}={value}"))
    status, lines = run(stack, "g1-cns", options=options)
    assert status == 2
    assert "/run/secrets/nothing" in lines[-1]
    assert "brokers.cns.password_file" in lines[-1]

import json
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest
import yaml
from fes.federation.schema import schema, schema_text


def test_the_committed_schema_is_current(root: Path) -> None:
    committed = (root / "docs/federation.schema.json").read_text()
    assert committed == schema_text(), "run: python -m fes.federation.schema"


def test_the_module_prints_the_schema() -> None:
    command = [sys.executable, "-m", "fes.federation.schema"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert json.loads(done.stdout) == json.loads(schema_text())


def test_the_schema_accepts_the_example(root: Path) -> None:
    assert jsonschema_rs.meta.is_valid(schema())
    text = (root / "scenarios/traffic/federation.yaml").read_text()
    plain = yaml.safe_load(text.replace("12:00:00Z", "12:00:00Z!"))
    jsonschema_rs.validate(schema(), plain)


@pytest.mark.parametrize(
    ("old", "new"), [("system:", "sistem:"), ("town", "a*b"), ("type: subscription", "type: x")]
)
def test_the_schema_refuses_what_the_loader_refuses(old: str, new: str, small: str) -> None:
    validator = jsonschema_rs.validator_for(schema())
    assert validator.is_valid(yaml.safe_load(small))
    assert not validator.is_valid(yaml.safe_load(small.replace(old, new)))


def test_a_variable_may_stand_for_a_number(small: str) -> None:
    validator = jsonschema_rs.validator_for(schema())
    good = small + "http: {port: '${PORT:-1}'}\n"
    assert validator.is_valid(yaml.safe_load(good))
    assert not validator.is_valid(yaml.safe_load(good.replace("${PORT:-1}", "many")))

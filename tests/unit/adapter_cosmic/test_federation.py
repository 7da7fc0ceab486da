"""What `fes validate` says of a COSMIC event service."""

import pytest
from fes.federation import check, examine, installed_kinds
from fes.mapping.rules.model import Rule

FILE = """
version: 1
system: test
brokers: {{n: {{kind: nats}}}}
event_services:
  car: {{kind: cosmic, settings: {{node: 1, {more}}}}}
  one: {{kind: cns, brokers: [n]}}
  two: {{kind: cns, brokers: [n]}}
gateways:
  g1: {{adapters: {{car: {{}}, one: {{}}}}}}
  g2: {{adapters: {{car: {{settings: {{node: 2}}}}, two: {{}}}}}}
"""


def found(more: str) -> list[str]:
    text = FILE.format(more=more)
    return [str(each) for each in check(examine(text, "f.yaml", {}), installed_kinds(), Rule)]


def test_two_gateways_may_not_stamp_the_same_frames() -> None:
    assert any("does not stamp its events" in each for each in found(""))


def test_two_gateways_may_listen_where_all_nodes_tell_their_stamps() -> None:
    assert not any("does not stamp" in each for each in found("stamped: true"))


@pytest.mark.parametrize(
    ("more", "named"), [("port: none", "port"), ("speed: 9", "speed"), ("broker: maybe", "broker")]
)
def test_a_setting_that_is_not_good_is_named_with_its_line(more: str, named: str) -> None:
    assert any(named in each and "f.yaml:6" in each for each in found(more))

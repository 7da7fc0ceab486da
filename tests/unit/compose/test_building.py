"""The override that adds a building: its files are good, and fit the federation of the scenario."""

from pathlib import Path

import yaml
from eventservices.bus.wire.policy import Question
from fes.federation.load import loads
from fes.federation.model import adapter_id
from fes.gateway.settings import guidance_of
from fes_gateway.memory import check_memory, size_of
from fes_gateway.pack import PackSettings
from fes_naming import read_links
from fes_policy import Engine
from fes_policy.building import load_building
from fes_policy.conflicts import conflicts
from fes_policy.rules import load_rules
from fes_policy.whereabouts import Whereabouts
from msgspec import UNSET

ROOT = Path(__file__).parents[3]
FILES = ROOT / "compose/building"
SERVICES = yaml.safe_load((ROOT / "compose/building.yml").read_text())["services"]


def test_gateways_query_both_services_with_what_the_override_adds() -> None:
    text = (ROOT / "scenarios/traffic/federation.yaml").read_text()
    federation = loads(text, SERVICES["plan"]["environment"])
    naming, policy = federation.naming, federation.policy
    assert naming is not UNSET
    assert policy is not UNSET
    assert guidance_of(federation).naming
    for part, service in ((naming, "naming"), (policy, "policy")):
        words = SERVICES[service]["command"]
        assert f"--nats={federation.brokers[part.broker].url}" in words
        assert any(word.endswith(f"={part.building}") for word in words)
    assert f"--server={naming.servers[0]}" in SERVICES["naming"]["command"]
    assert "building" in federation.gateways["g2"].adapters
    assert SERVICES["g2-building"]["environment"]["FES_EVENT_SERVICE"] == "building"


def test_the_gateway_with_one_adapter_more_fits_its_container() -> None:
    text = (ROOT / "scenarios/traffic/federation.yaml").read_text()
    federation = loads(text, SERVICES["plan"]["environment"])
    remote = frozenset(adapter_id("g2", name) for name in federation.gateways["g2"].adapters)
    limit = SERVICES["g2"]["mem_limit"]
    check_memory(federation, PackSettings("g2", ("g2",), remote, Path()), size_of(limit))
    assert SERVICES["g2"]["environment"]["FES_MEMORY_LIMIT"] == limit


def test_the_rules_permit_the_scenarios_requests_and_nobody_elses() -> None:
    building, rules = load_building(FILES / "building.yaml"), load_rules(FILES / "rules.cedar")
    assert conflicts(rules, building) == []
    engine = Engine(rules, building, Whereabouts(building))
    for user, permitted in (("siena-m", True), ("steam-v-FES0001", True), ("eve", False)):
        found = engine.decide(Question(user, "Speed", "gateway", ""), 0)
        assert found.decision.permit is permitted


def test_the_naming_server_serves_every_name() -> None:
    links = read_links(FILES / "links")
    assert (links.domain, links.others) == (".", {})

"""The override that adds a building: its files are good, and fit the federation of the scenario."""

import json
import re
from pathlib import Path

import yaml
from building_walk.__main__ import _parser as parser
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
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
FILES = ROOT / "compose/building"
OVERRIDE = yaml.safe_load((ROOT / "compose/building.yml").read_text())
SERVICES = OVERRIDE["services"]
WALK = SERVICES["walk"]


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


def stage(target: str) -> str:
    """Return what the Dockerfile adds for a target."""
    pattern = rf"^FROM \S+ AS {target}\n(.*?)(?=^FROM |\Z)"
    found = re.search(pattern, DOCKERFILE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_walk_is_started_by_name_alone_and_its_end_is_its_status() -> None:
    assert WALK["profiles"] == ["walk"]
    assert WALK["restart"] == "no"
    assert "depends_on" not in WALK
    assert not any("walk" in each.get("depends_on", {}) for each in SERVICES.values())


def test_the_walks_image_has_what_its_federation_starts() -> None:
    text = (ROOT / "scenarios/building-walk/src/building_walk/federation.yaml").read_text()
    federation = loads(text, {})
    kinds = {f"fes_adapter_{each.kind}" for each in federation.event_services.values()}
    programs = {each.command[2] for each in federation.applications.values()}
    packages = set(re.findall(r"/built/(\S+)", stage(WALK["build"]["target"])))
    assert kinds | programs | {"fes_gateway", "fes_scenario_building_walk"} <= packages
    assert {each.kind for each in federation.brokers.values()} <= {"nats", "mqtt"}  # one server
    assert "COPY --from=nats /usr/local/bin/nats-server" in stage(WALK["build"]["target"])
    assert WALK["build"]["args"].keys() == {"PYTHON_IMAGE", "NATS_IMAGE"}


def test_the_walk_leaves_its_runs_in_a_volume() -> None:
    (words,) = re.findall(r"^CMD (.*)", stage(WALK["build"]["target"]), re.MULTILINE)
    options = parser().parse_args(json.loads(words))
    (volume,) = WALK["volumes"]
    name, _, path = volume.partition(":")
    assert name in OVERRIDE["volumes"]
    assert options.command == "demo"
    assert options.runs.is_relative_to(path)
    assert WALK["read_only"]

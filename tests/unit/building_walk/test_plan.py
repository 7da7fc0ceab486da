"""The files of a run fit the story: rules let pass what a door or a desk has a right to."""

from pathlib import Path

import pytest
from building_walk import walking
from building_walk.plan import plan
from building_walk.story import ENTRY, MAIL, SIGHTING
from eventservices.bus.wire.policy import Question
from fes.federation.load import load
from fes_policy import Engine
from fes_policy.building import load_building
from fes_policy.conflicts import conflicts
from fes_policy.rules import load_rules
from fes_policy.whereabouts import Whereabouts

NOW_US = 1_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    plan(tmp_path, walking.tell(20, 1, 1.0))
    return tmp_path


@pytest.fixture
def engine(folder: Path) -> Engine:
    building = load_building(folder / "building.yaml")
    return Engine(load_rules(folder / "rules.cedar"), building, Whereabouts(building))


def test_the_federation_is_valid_and_has_a_bus_for_each_room(folder: Path) -> None:
    federation = load(folder / "federation.yaml", {})
    assert {"bus-net1", "bus-net4", "bus-office", "walk"} <= federation.applications.keys()
    assert federation.applications["walk"].ends_run


def test_every_rule_has_an_effect(engine: Engine) -> None:
    assert conflicts(engine.rules, engine.building) == []


def test_mail_follows_its_owner_from_desk_to_desk(engine: Engine) -> None:
    for room, station in (("net1", "sensor10"), ("net2", "sensor21")):
        engine.whereabouts.sighted(station, walking.BADGES["ann"], NOW_US)
        for bus in ("net1", "net2"):
            found = engine.decide(Question("ann", MAIL, "desk", bus), NOW_US).decision
            assert found.permit is (bus == room)


def test_a_printer_and_another_device_get_no_mail(engine: Engine) -> None:
    engine.whereabouts.sighted("sensor10", walking.BADGES["ann"], NOW_US)
    for device in ("printer", "gateway", ""):
        assert not engine.decide(Question("ann", MAIL, device, "net1"), NOW_US).decision.permit


@pytest.mark.parametrize(
    ("user", "device", "name"),
    [("doors", "gateway", ENTRY), ("city", "gateway", SIGHTING), ("ann", "handheld", MAIL)],
)
def test_what_leaves_the_building_is_narrowed_by_a_rules_filter(
    engine: Engine, user: str, device: str, name: str
) -> None:
    found = engine.decide(Question(user, name, device, ""), NOW_US).decision
    assert found.permit
    assert found.text


def test_the_city_gets_neither_mail_nor_entries(engine: Engine) -> None:
    for name in (MAIL, ENTRY):
        assert not engine.decide(Question("city", name, "gateway", ""), NOW_US).decision.permit

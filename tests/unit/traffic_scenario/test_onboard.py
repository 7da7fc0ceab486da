"""Vehicles with a CAN bus on board."""

import csv
from pathlib import Path

from fes.federation import check, dump, examine, installed_kinds
from fes.mapping.rules.model import Rule
from traffic_scenario import settings
from traffic_scenario.federation import describe
from traffic_scenario.onboard import BUSES, OnBoard, can_buses, write_buses
from traffic_scenario.runfolder import Plan


def test_each_vehicle_has_a_bus_with_a_port_of_its_own() -> None:
    buses = can_buses(tuple(f"V{number}" for number in range(24)))
    assert len({bus.port for bus in buses}) == 24


def test_the_federation_has_can_buses_instead_of_cns(small_plan: Plan) -> None:
    federation = describe(small_plan, 3.0, 8090, can_buses(small_plan.vehicles))
    kinds = {name: service.kind for name, service in federation.event_services.items()}
    assert kinds["cosmic-v-FES0001"] == "cosmic"
    assert "cns" not in {*kinds.values(), *federation.brokers}
    assert list(federation.gateways["g-v-FES0001"].adapters) == [
        "cosmic-v-FES0001",
        "steam-v-FES0001",
    ]
    assert {request.dist_list for request in federation.requests} == {
        "cosmic-v-FES0001",
        "cosmic-v-FES0002",
    }
    command = federation.applications["can-sim"].command
    assert command[command.index("--bus") + 1] == "cosmic"
    assert "--url" not in command


def test_its_file_has_neither_errors_nor_warnings(small_plan: Plan) -> None:
    text = dump(describe(small_plan, 3.0, 8090, can_buses(small_plan.vehicles)))
    findings = check(examine(text, "f.yaml", {}), installed_kinds(), Rule)
    assert [str(finding) for finding in findings] == []


def test_the_first_rule_is_the_same_on_a_can_bus(small_plan: Plan) -> None:
    with_can = describe(small_plan, 3.0, 8090, can_buses(small_plan.vehicles))
    assert with_can.mappings == describe(small_plan, 3.0, 8090).mappings


def test_the_buses_are_told_to_can_sim(tmp_path: Path) -> None:
    buses = can_buses(("A", "B"))
    write_buses(tmp_path, buses)
    with (tmp_path / BUSES).open() as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["vehicle"], int(row["port"])) for row in rows] == [
        (bus.vehicle, bus.port) for bus in buses
    ]


def test_no_file_is_written_where_there_are_no_buses(tmp_path: Path) -> None:
    write_buses(tmp_path, ())
    assert list(tmp_path.iterdir()) == []


def test_vehicles_have_cns_unless_asked_otherwise() -> None:
    assert settings.read(["demo"]).bus == "cns"
    assert settings.read(["demo", "--bus", "cosmic"]).bus == "cosmic"
    assert OnBoard.of(("A",), ()).name("A") == "cns-v-A"

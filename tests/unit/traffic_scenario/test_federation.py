"""The federation that is made of a plan."""

import dataclasses

import pytest
from fes.distribution import matches
from fes.federation import (
    Kind,
    Routes,
    check,
    dump,
    examine,
    has_errors,
    installed_kinds,
    loads,
    moment_us,
)
from fes.mapping.rules.model import Rule
from msgspec import UnsetType
from traffic_scenario.federation import describe
from traffic_scenario.runfolder import Monitor, Plan


def test_the_file_says_again_what_was_described(small_plan: Plan) -> None:
    federation = describe(small_plan, 3.0, 8090)
    assert loads(dump(federation), {}) == federation


def test_the_file_has_neither_errors_nor_warnings(small_plan: Plan) -> None:
    document = examine(dump(describe(small_plan, 3.0, 8090)), "f.yaml", {})
    findings = check(document, {"cns": Kind(), "siena": Kind(), "steam": Kind()}, Rule)
    assert not has_errors(findings)
    assert findings == ()


def test_installed_adapters_take_the_settings(small_plan: Plan) -> None:
    document = examine(dump(describe(small_plan, 3.0, 8090)), "f.yaml", {})
    findings = check(document, installed_kinds(), Rule)
    assert [str(finding) for finding in findings] == []


def test_the_clock_begins_with_the_trace_to_the_microsecond(small_plan: Plan) -> None:
    clock = describe(small_plan, 3.0, 8090).clock
    assert not isinstance(clock.start, UnsetType)
    assert moment_us(clock.start) == small_plan.start_us


def test_vehicles_hear_as_far_as_the_farthest_monitor(small_plan: Plan) -> None:
    far = dataclasses.replace(small_plan, monitors=(Monitor("M01", 50.0, 11.5, 451.5, 50.0),))
    federation = describe(far, 3.0, 8090)
    assert federation.event_services["steam-v-FES0001"].settings["range_m"] == 451.5
    proximity = federation.mappings["air-speed"][0]["attributes"]["Proximity"]
    assert proximity == {"constant": "0,1,0,0,451.5"}


def test_monitors_hear_as_far_as_their_radius(small_plan: Plan) -> None:
    services = describe(small_plan, 3.0, 8090).event_services
    assert services["steam-m-M01"].settings["range_m"] == 150.0
    assert services["steam-v-FES0001"].settings["range_m"] == 300.0


@pytest.mark.parametrize("service", ["cns-v-FES0001", "steam-v-FES0001", "steam-m-M01"])
def test_requests_stay_off_the_buses_and_off_the_air(small_plan: Plan, service: str) -> None:
    federation = describe(small_plan, 3.0, 8090)
    control = next(
        gateway.adapters[service].control
        for gateway in federation.gateways.values()
        if service in gateway.adapters
    )
    assert control.accepted == ()
    assert not control.relays


def test_the_city_may_make_requests_at_every_monitor(small_plan: Plan) -> None:
    federation = describe(small_plan, 3.0, 8090)
    for monitor in ("M01", "M02"):
        control = federation.gateways[f"g-m-{monitor}"].adapters["siena-m"].control
        assert "subscription" in control.accepted


def test_each_vehicle_has_one_static_subscription_for_its_own_bus(small_plan: Plan) -> None:
    requests = describe(small_plan, 3.0, 8090).requests
    assert [(r.gateway, r.source, r.dist_list, r.filter) for r in requests] == [
        ("g-v-FES0001", "steam-v-FES0001", "cns-v-FES0001", "subject = 'Speed'"),
        ("g-v-FES0002", "steam-v-FES0002", "cns-v-FES0002", "subject = 'Speed'"),
    ]


def test_names_of_vehicles_and_monitors_do_not_match_each_others_wildcards(
    small_plan: Plan,
) -> None:
    alike = dataclasses.replace(
        small_plan,
        vehicles=("m-M01", "M01", "siena-m"),
        monitors=(
            Monitor("v-M01", 50.0, 11.5, 150.0, 50.0),
            Monitor("M01", 50.0, 11.5, 150.0, 50.0),
        ),
    )
    federation = describe(alike, 3.0, 8090)
    assert not has_errors(examine(dump(federation), "f.yaml", {}).findings)
    matched = {
        pattern: [name for name in federation.event_services if matches(pattern, name)]
        for pattern in ("cns-v-*", "steam-v-*", "steam-m-*", "siena-*")
    }
    assert [len(names) for names in matched.values()] == [3, 3, 2, 1]


def test_a_monitors_limit_has_a_way_to_its_access_point_only(small_plan: Plan) -> None:
    routes = Routes.of(describe(small_plan, 3.0, 8090))
    hop = routes.next_hop("g-m-M01", "steam-m-M01")
    assert hop is not None
    assert hop.service == "steam-m-M01"


def test_the_applications_start_in_order_and_the_fleet_ends_the_run(small_plan: Plan) -> None:
    applications = describe(small_plan, 3.0, 4711).applications
    assert applications["traffic-control"].ready == "http://127.0.0.1:4711/readyz"
    assert "4711" in applications["traffic-control"].command
    assert applications["can-sim"].after == ("traffic-control",)
    assert applications["can-sim"].ends_run
    assert "{url:cns}" in applications["can-sim"].command

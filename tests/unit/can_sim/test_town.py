from itertools import pairwise

import pytest
from can_sim.errors import InputError
from can_sim.geometry import distance_m
from can_sim.sample import by_vehicle
from can_sim.town.fleet import drive
from can_sim.town.roads import Town


def test_the_same_seed_gives_the_same_trace_and_another_seed_another() -> None:
    assert drive(3, 20, 5) == drive(3, 20, 5)
    assert drive(3, 20, 5) != drive(3, 20, 6)


def test_a_vehicle_drives_the_same_whoever_else_is_there() -> None:
    few, many = (by_vehicle(drive(count, 10, 5).samples)["FES0001"] for count in (1, 9))
    assert [s[2:] for s in few] == [s[2:] for s in many]


def test_every_vehicle_tells_of_itself_once_a_second() -> None:
    vehicles = by_vehicle(drive(20, 30, 1).samples)
    assert len(vehicles) == 20
    for rows in vehicles.values():
        assert len(rows) == 30
        assert {b.time_us - a.time_us for a, b in pairwise(rows)} == {1_000_000}


def test_vehicles_accelerate_and_brake_as_vehicles_do() -> None:
    for rows in by_vehicle(drive(20, 120, 2).samples).values():
        for a, b in pairwise(rows):
            assert -5.0 < (b.speed_kmh - a.speed_kmh) / 3.6 < 2.5


def test_vehicles_go_as_far_as_their_speed_takes_them() -> None:
    for rows in by_vehicle(drive(10, 60, 2).samples).values():
        for a, b in pairwise(rows):
            went_m = distance_m(a.lat, a.lon, b.lat, b.lon)
            assert went_m <= max(a.speed_kmh, b.speed_kmh) / 3.6 * 1.1 + 1.5


def test_some_drivers_speed_and_some_do_not() -> None:
    fastest = [
        max(s.speed_kmh for s in rows) for rows in by_vehicle(drive(24, 120, 1).samples).values()
    ]
    assert sum(kmh > 72 for kmh in fastest) >= 4
    assert sum(kmh <= 70.5 for kmh in fastest) >= 4
    assert max(fastest) < 110


def test_a_route_is_connected_and_the_quickest() -> None:
    town = Town(1)
    way = town.route(0, 24)
    assert way[0].start == 0
    assert way[-1].end == 24
    assert all(a.end == b.start for a, b in pairwise(way))
    assert town.route(7, 7) == []


@pytest.mark.parametrize("vehicles", [0, 10_000])
def test_a_fleet_has_a_size(vehicles: int) -> None:
    with pytest.raises(InputError, match="--vehicles"):
        drive(vehicles, 10, 1)

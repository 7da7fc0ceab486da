"""What the run's files say of the city."""

from pathlib import Path

import pytest
from traffic_control.city import City, read_city
from traffic_control.errors import InputError

FEDERATION = """
version: 1
system: traffic
clock: {start: 0.0, speed: 2.0, wall_start_us: 5000000}
media: {air: {}}
brokers:
  air: {kind: mqtt, url: "mqtt://127.0.0.1:1"}
  siena-1: {kind: nats, cluster: siena, url: "nats://127.0.0.1:1"}
  siena-2: {kind: nats, cluster: siena, url: "nats://127.0.0.1:2"}
event_services:
  steam-m-M01: {kind: memory}
  steam-m-M02: {kind: memory}
  siena-m: {kind: siena, brokers: [siena-1, siena-2], settings: {index: FES_Subject}}
gateways:
  g-m-M01: {adapters: {steam-m-M01: {}, siena-m: {}}}
  g-m-M02: {adapters: {steam-m-M02: {}, siena-m: {}}}
"""
MONITORS = """monitor,lat,lon,radius_m,limit_kmh
M01,50.02,11.49,150,70
M02,50.03,11.49,150,62.5
"""


def city_of(folder: Path, federation: str = FEDERATION, monitors: str = MONITORS) -> City:
    (folder / "federation.yaml").write_text(federation)
    (folder / "monitors.csv").write_text(monitors)
    return read_city(folder, folder / "federation.yaml", {})


def test_the_city_knows_its_service_and_its_monitors(tmp_path: Path) -> None:
    city = city_of(tmp_path)
    assert (city.system, city.service, city.wall_start_us) == ("traffic", "siena-m", 5_000_000)
    assert city.brokers == ("nats://127.0.0.1:1", "nats://127.0.0.1:2")
    assert city.settings == {"index": "FES_Subject"}
    assert [(one.name, one.destination, one.gateways, one.limit_kmh) for one in city.monitors] == [
        ("M01", "steam-m-M01", ("g-m-M01",), 70.0),
        ("M02", "steam-m-M02", ("g-m-M02",), 62.5),
    ]


@pytest.mark.parametrize(
    ("monitors", "fault"),
    [
        ("monitor,limit\nM01,70\n", "monitors.csv:1: there is no column limit_kmh"),
        ("limit_kmh\n70\n", "monitors.csv:1: there is no column monitor"),
        ("monitor,limit_kmh\nM01,fast\n", "monitors.csv:2: column limit_kmh: 'fast'"),
        ("monitor,limit_kmh\nM01,-1\n", "monitors.csv:2: column limit_kmh: '-1'"),
        ("monitor,limit_kmh\nM01\n", "monitors.csv:2: column limit_kmh"),
        ("monitor,limit_kmh\nM01,70\nM01,50\n", "monitors.csv:3: column monitor: 'M01'"),
        ("monitor,limit_kmh\n,70\n", "monitors.csv:2: column monitor: ''"),
        ("monitor,limit_kmh\n", "names 0 monitors"),
        ("monitor,limit_kmh\nM09,70\n", "no gateway is attached to 'steam-m-M09'"),
    ],
)
def test_a_bad_list_of_monitors_is_refused_with_its_place(
    tmp_path: Path, monitors: str, fault: str
) -> None:
    with pytest.raises(InputError, match=fault):
        city_of(tmp_path, monitors=monitors)


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"federation\.yaml"):
        read_city(tmp_path, tmp_path / "federation.yaml", {})
    (tmp_path / "federation.yaml").write_text(FEDERATION)
    with pytest.raises(InputError, match=r"monitors\.csv"):
        read_city(tmp_path, tmp_path / "federation.yaml", {})


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (', url: "nats://127.0.0.1:2"', "", "brokers.siena-2: has no url"),
        ("kind: siena,", "kind: memory,", "one event service of kind siena, found"),
        ("system: traffic", "sistem: traffic", "federation.yaml:3:1: sistem"),
    ],
)
def test_a_federation_that_does_not_fit_is_refused(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    with pytest.raises(InputError, match=fault):
        city_of(tmp_path, FEDERATION.replace(old, new))

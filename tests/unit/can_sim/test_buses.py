from pathlib import Path

import pytest
from can_sim.buses import read_buses
from can_sim.errors import InputError
from can_sim.settings import read
from eventservices.cosmic import Interface

HEADER = "vehicle,interface,channel,port\n"


def written(folder: Path, rows: str) -> Path:
    (folder / "buses.csv").write_text(HEADER + rows, "utf-8")
    return folder


def test_each_vehicle_has_the_bus_of_its_row(tmp_path: Path) -> None:
    rows = "A,udp_multicast,239.74.163.2,4001\nB,socketcan,can0,1\nC,virtual,x,1\n"
    assert read_buses(written(tmp_path, rows), ("B", "A")) == {
        "B": Interface("socketcan", "can0", 1),
        "A": Interface("udp_multicast", "239.74.163.2", 4001),
    }


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ("B,udp_multicast,239.74.163.2,4001\n", "no bus of A"),
        ("A,serial,x,4001\n", ":2: column interface"),
        ("A,virtual,x,0\n", ":2: column port"),
        ("A,virtual,x,many\n", ":2: column port"),
        ("A,virtual,,1\n", ":2: column channel"),
    ],
)
def test_a_row_that_is_not_good_is_named(tmp_path: Path, rows: str, named: str) -> None:
    with pytest.raises(InputError, match=named):
        read_buses(written(tmp_path, rows), ("A",))


def test_a_run_without_buses_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_buses(tmp_path, ("A",))


def test_the_vehicles_have_cns_unless_they_are_given_another_bus() -> None:
    assert read(["run"], {}).bus == "cns"
    assert read(["run"], {"CAN_SIM_BUS": "cosmic"}).bus == "cosmic"
    with pytest.raises(InputError, match="none of cns, cosmic"):
        read(["run", "--bus", "can"], {})

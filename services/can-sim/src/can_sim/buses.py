"""`buses.csv`: which CAN bus each vehicle of a run has; `vehicle,interface,channel,port`."""

from collections.abc import Sequence
from pathlib import Path

from eventservices.cosmic import Interface
from eventservices.errors import MalformedError

from can_sim.errors import InputError
from can_sim.opening import open_bytes
from can_sim.table import Table

BUSES = "buses.csv"
COLUMNS = ("vehicle", "interface", "channel", "port")


def read_buses(folder: Path, vehicles: Sequence[str]) -> dict[str, Interface]:
    """Return the bus of each vehicle of a run.

    Args:
        folder: The run folder.
        vehicles: Those that have one.

    Raises:
        InputError: The file is absent, a row is not valid, or a vehicle has no bus.
    """
    path = folder / BUSES
    found: dict[str, Interface] = {}
    with open_bytes(path) as stream:
        table = Table(path, stream)
        for column in COLUMNS:
            table.need([column])
        for row in table.rows():
            port = round(row.number("port", 1, 65535))
            try:
                interface = Interface(row.text("interface"), row.text("channel"), port)
            except MalformedError as error:
                raise row.error("interface", str(error)) from error
            found[row.text("vehicle")] = interface
    missing = [vehicle for vehicle in vehicles if vehicle not in found]
    if missing:
        raise InputError(f"tells no bus of {missing[0]}", str(path))
    return {vehicle: found[vehicle] for vehicle in vehicles}

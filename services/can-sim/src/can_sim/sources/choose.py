"""The source that a file's name and first bytes call for."""

from dataclasses import dataclass
from pathlib import Path

from eventservices.canlog.gvret import is_header
from eventservices.canlog.textlines import decoded

from can_sim.errors import InputError
from can_sim.opening import kind_of, open_bytes
from can_sim.rollover import mended
from can_sim.sample import Trace
from can_sim.sources import can_trace, csv_trace, gpx_trace
from can_sim.sources.can_trace import CanSource
from can_sim.sources.positions import Positions
from can_sim.tally import Tally

CAN_KINDS = ("log", "candump", "asc", "blf", "trc", "txt")
MAX_LOOK_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files that a trace is read from.

    Attributes:
        trace: CSV, GPX or CAN log.
        positions: CSV or GPX; for CAN logs only.
        dbc: For CAN logs only.
        signal: For CAN logs only; see `CanSource`.
        align: For CAN logs only; see `CanSource`.
    """

    trace: Path
    positions: Path | None = None
    dbc: Path | None = None
    signal: str = ""
    align: bool = False


def read_trace(inputs: Inputs, tally: Tally) -> Trace:
    """Return the trace that the files tell.

    Raises:
        InputError: A file cannot be read, or a CAN log comes without positions.
    """
    if kind_of(inputs.trace) not in CAN_KINDS and not _is_gvret(inputs.trace):
        return _read_moving(inputs.trace, tally)
    if inputs.positions is None:
        raise InputError(
            "a CAN log tells no positions; give a trace with --positions", str(inputs.trace)
        )
    moving = mended(_read_moving(inputs.positions, tally), tally)
    positions = Positions(moving, str(inputs.positions), tally)
    source = CanSource(inputs.trace, inputs.dbc, inputs.signal, inputs.align)
    return can_trace.read(source, positions, tally)


def _read_moving(path: Path, tally: Tally) -> Trace:
    kind = kind_of(path)
    if kind == "gpx" or (kind != "csv" and _looks_like_xml(path)):
        return gpx_trace.read(path, tally)
    return csv_trace.read(path, tally)


def _is_gvret(path: Path) -> bool:
    if kind_of(path) != "csv":
        return False
    with open_bytes(path, Tally()) as stream:
        lines = decoded(stream.read(MAX_LOOK_BYTES)).splitlines()
    return bool(lines) and is_header(lines[0])


def _looks_like_xml(path: Path) -> bool:
    with open_bytes(path, Tally()) as stream:
        return stream.read(MAX_LOOK_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")

"""Rows of a neighbour's table: what may enter, and what is refused with its reason."""

from typing import Any

import pytest
from fes.errors import ControlEventError
from fes.gateway import GatewayCore
from fes.gateway.requests.row import Row
from fes.gateway.requests.validation import check_row, latest
from fes.gateway.turn import Turn
from msgspec.structs import replace
from support.gateways.cores import NOW, SECOND, core_of, inject, request

TURN = Turn(NOW, NOW.wall_us)


def core_and_row(**changes: Any) -> tuple[GatewayCore, Row]:
    """Return a core, and a row of its table that may enter any other."""
    core = core_of("north", "south")
    inject(core, request(**changes))
    (row,) = core.table.rows()
    return core, row


def refusal(core: GatewayCore, row: Row) -> str:
    """Return why a row is refused; nothing where it may enter."""
    try:
        check_row(row, core.settings, "south", TURN)
    except ControlEventError as error:
        return str(error)
    return ""


def test_a_row_that_a_gateway_made_may_enter() -> None:
    assert refusal(*core_and_row()) == ""
    lease = {"expires_us": NOW.wall_us + 60 * SECOND}
    assert refusal(*core_and_row(**lease)) == ""


def test_a_row_from_the_future_is_refused_and_the_newest_that_a_clock_may_make_is_not() -> None:
    core, row = core_and_row()

    assert refusal(core, replace(row, version=latest(TURN))) == ""
    assert "lies in the future" in refusal(core, replace(row, version=latest(TURN) + 1))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"expires_us": NOW.wall_us}, "a lease without an end"),
        ({"until_us": NOW.wall_us}, "an end without one"),
        ({"source": "nowhere"}, "no event service 'nowhere'"),
        ({"pattern": "north,south"}, "is not one name"),
        ({"outlives_us": -1}, "-1 is out of range"),
    ],
)
def test_a_row_that_no_request_could_make_is_refused(
    changes: dict[str, object], reason: str
) -> None:
    core, row = core_and_row()

    assert reason in refusal(core, replace(row, **changes))


def test_what_is_dropped_is_forgotten_with_its_version() -> None:
    """What is requested again later must be newer than it (rule T18)."""
    core, row = core_and_row()
    assert core.table.forgotten < row.version

    dropped = core.table.drop((), range(1), 1, row.since_us)

    assert dropped == [row]
    assert core.table.forgotten == row.version

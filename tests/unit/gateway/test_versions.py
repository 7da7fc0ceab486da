"""Versions of requests, whatever the clocks of clients read."""

import msgspec
import pytest
from fes.gateway.requests.table import RequestTable
from fes.gateway.requests.versions import BEHIND_US, Versions
from fes.gateway.settings import Instant
from fes.gateway.turn import Turn
from support.gateways.cores import request

NOW_US = 1_800_000_000_000_000
LEASE_US = 60_000_000


@pytest.fixture
def versions() -> Versions:
    return Versions(RequestTable(10))


def turn() -> Turn:
    return Turn(Instant(NOW_US, NOW_US, 0), NOW_US)


@pytest.mark.parametrize(
    ("behind_us", "expected"),
    [(0, NOW_US), (BEHIND_US, NOW_US - BEHIND_US), (BEHIND_US + 1, NOW_US)],
)
def test_a_client_whose_clock_is_a_minute_behind_is_not_believed(
    versions: Versions, behind_us: int, expected: int
) -> None:
    control = msgspec.structs.replace(request(), version=NOW_US - behind_us)
    assert versions.versioned(control, "south", turn()).version == expected


def test_a_lease_is_as_long_as_its_client_wants_whatever_the_version(versions: Versions) -> None:
    made_us = NOW_US - 10 * BEHIND_US
    control = msgspec.structs.replace(request(), version=made_us, expires_us=made_us + LEASE_US)
    given = versions.versioned(control, "south", turn())
    assert (given.version, given.expires_us) == (NOW_US, NOW_US + LEASE_US)


def test_a_request_without_an_end_gets_none(versions: Versions) -> None:
    control = msgspec.structs.replace(request(), version=NOW_US - 10 * BEHIND_US)
    assert versions.versioned(control, "south", turn()).expires_us == 0


def test_what_another_gateway_forwarded_keeps_its_version(versions: Versions) -> None:
    control = msgspec.structs.replace(request(), version=7, path=("north",))
    assert versions.versioned(control, "south", turn()) is control

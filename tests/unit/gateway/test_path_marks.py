"""Where an event or request has been: told or not, true or forged, it harms nobody else."""

from typing import Any

import pytest
from fes.control import ControlEvent, RequestType
from fes.gateway import GatewayCore
from fes.gateway.outputs import Decided
from fes.link.messages import Publish
from msgspec.structs import replace
from support.gateways.cores import NOW, SECOND, core_of, heard, inject, orders, request, say

FORGED = {
    "a circle": ("north", "east") * 8,
    "itself, again and again": ("north",) * 16,
    "services that there are not": (*(f"nowhere {number}" for number in range(15)), "north"),
    "names of nothing": ("", "", "north"),
    "gateways": ("g1", "g2", "north"),
    "wildcards": ("*", "?", "north"),
}


def publication(**changes: Any) -> ControlEvent:
    return request(RequestType.PUBLICATION, source="north", dist_list="south", **changes)


def took(decided: list[Decided]) -> bool:
    """Tell whether a publication was applied at its destination."""
    return ("applied", "south") in {(one.decision, one.to) for one in decided}


def assert_works(core: GatewayCore, sequence: int = 99) -> None:
    """See that a sound publication is taken after all that was said before."""
    assert took(say(core, publication(sequence=sequence, path=("north",)), "north"))


def test_what_tells_no_way_is_a_clients_and_is_taken() -> None:
    core = core_of("north", "south")
    assert took(say(core, publication(), "north"))


def test_what_tells_no_way_is_nobodys_at_another_event_service() -> None:
    core = core_of("north", "south", "east")
    (decided,) = [one for one in say(core, publication(), "east") if one.decision == "refused"]
    assert "Source" in decided.reason
    assert_works(core)


@pytest.mark.parametrize("path", FORGED.values(), ids=FORGED)
def test_a_forged_way_breaks_nothing(path: tuple[str, ...]) -> None:
    core = core_of("north", "south", "east")
    decided = say(core, publication(path=path), "north")
    assert {one.decision for one in decided} <= {"received", "applied", "refused", "dropped"}
    assert all(one.reason for one in decided if one.decision in ("refused", "dropped"))
    assert_works(core)


@pytest.mark.parametrize("path", FORGED.values(), ids=FORGED)
def test_a_request_with_a_forged_way_breaks_nothing(path: tuple[str, ...]) -> None:
    core = core_of("north", "south", "east")
    say(core, request(source="far", dist_list="south", path=path, version=1), "north")
    inject(core, request(dist_list="north", sequence=2))
    assert len(core.applied("north")) == 1
    assert_works(core)


def test_what_says_that_it_has_been_at_its_destination_is_not_sent_there() -> None:
    core = core_of("north", "south")
    assert not took(say(core, publication(path=("south", "north")), "north"))
    assert_works(core)


def test_a_way_that_is_too_long_is_refused_with_the_limit() -> None:
    core = core_of("north", "south")
    (decided,) = say(core, publication(path=("north",) * 17), "north")
    assert (decided.decision, "more than 16" in decided.reason) == ("refused", True)
    assert "FES_Path" in decided.reason
    assert_works(core)


def test_one_gateway_may_be_passed_twice_by_different_event_services() -> None:
    """The mark is of the event service: where one has been is not whom one has passed."""
    core = core_of("north", "south", "east")
    assert took(say(core, publication(path=("east", "far", "north")), "north"))


@pytest.mark.parametrize("hops", [1, 4, 8, 16])
def test_how_far_an_event_goes_is_the_files_to_say(hops: int) -> None:
    core = core_of("north", "south", max_hops=hops)
    inject(core, request())
    numbers = tuple(one.number for one in core.applied("north"))

    def goes(sequence: int, passed: int) -> bool:
        via = tuple(f"s{number}" for number in range(passed))
        _, outputs = core.handle(heard(numbers, sequence, via=via), NOW, "north")
        return any(isinstance(order, Publish) for order in orders([*outputs], "south"))

    assert goes(1, hops - 1)
    assert not goes(2, hops)
    assert goes(3, 0), "one that was dropped takes nothing from the next"


@pytest.mark.parametrize("minutes", [-10, 10])
def test_an_event_of_a_producer_whose_clock_is_wrong_passes(minutes: int) -> None:
    core = core_of("north", "south")
    inject(core, request())
    numbers = tuple(one.number for one in core.applied("north"))
    message = heard(numbers)
    time_us = NOW.time_us + minutes * 60 * SECOND
    shifted = replace(message, stamp=replace(message.stamp, time_us=time_us))

    _, outputs = core.handle(shifted, NOW, "north")

    (told,) = [order for order in orders([*outputs], "south") if isinstance(order, Publish)]
    assert told.stamp.time_us == time_us, "and keeps the time that it has"


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_client_may_withdraw_what_it_asked_for_where_a_clock_is_wrong(minutes: int) -> None:
    core = core_of("north", "south")
    version = NOW.wall_us + minutes * 60 * SECOND
    say(core, request(version=version, path=("south",)), "south")
    assert len(core.applied("north")) == 1

    inject(core, request(RequestType.UNSUBSCRIPTION, sequence=2))

    assert not core.applied("north")

"""What became of a publication is remembered under the request's id, as of any other request."""

from fes.control import RequestType
from fes.gateway import GatewayCore
from fes.gateway.inputs import LinkDown
from fes.model import Event
from support.gateways.cores import NOW, core_of, heard, inject, request

EVENT = Event.of("Speed", {"rate": 83.0})


def published(core: GatewayCore, dist_list: str) -> list[tuple[str, str, str]]:
    asked = request(RequestType.PUBLICATION, source="north", dist_list=dist_list, event=EVENT)
    inject(core, asked)
    steps = core.outcomes.get(asked.id)
    assert steps is not None
    return [(step.decision, step.service, step.detail) for step in steps]


def test_a_publication_that_was_published_says_where() -> None:
    assert published(core_of("north", "south", "east"), "south,east") == [
        ("accepted", "", "south,east"),
        ("applied", "south", ""),
        ("applied", "east", ""),
    ]


def test_a_publication_that_was_dropped_says_why() -> None:
    core = core_of("north", "south")
    core.handle(LinkDown(), NOW, "south")
    assert ("dropped", "south", "link down") in published(core, "south")


def test_a_publication_that_repeats_another_says_so() -> None:
    core = core_of("north", "south")
    published(core, "south")
    assert ("suppressed", "south", "repeated") in published(core, "south")


def test_a_publication_that_is_refused_says_why() -> None:
    steps = published(core_of("north", "south"), "nowhere")
    assert [step[0] for step in steps] == ["accepted", "refused"]
    assert "names no event service" in steps[-1][2]


def test_events_that_nobody_requested_are_not_remembered() -> None:
    core = core_of("north", "south")
    inject(core, request(source="south", dist_list="north"))
    numbers = tuple(applied.number for applied in core.applied("north"))
    core.handle(heard(numbers), NOW, "north")
    assert core.outcomes.get(str(heard(()).stamp.identity)) is None

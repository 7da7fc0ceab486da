"""One gateway in a ring of event services whose native clients suppress nothing."""

from fes.federation.topology import Topology
from fes.gateway.inputs import LinkUp, Ready
from fes.gateway.outputs import Decided
from fes.link.messages import Publish
from fes.model import Stamp
from support.gateways.cores import NOW, core_of, heard, inject, orders, request

RING = (
    ("g1", "north"), ("g1", "south"), ("g2", "south"), ("g2", "far"), ("g3", "far"), ("g3", "north")
)  # fmt: skip


def test_where_an_own_service_does_not_answer_the_standby_serves_it() -> None:
    core = core_of("north", "south", topology=Topology(RING))
    for service in ("north", "south"):
        core.handle(LinkUp(suppresses=False), NOW, service)
    inject(core, request(source="north", dist_list="south"))
    numbers = tuple(applied.number for applied in core.applied("south"))
    stamp = Stamp("car", 1, 1, 0, "far")

    core.handle(Ready(ready=False), NOW, "north")
    _, left = core.handle(heard(numbers, stamp=stamp), NOW, "south")
    core.handle(Ready(ready=True), NOW, "north")
    _, published = core.handle(heard(numbers, stamp=stamp), NOW, "south")

    assert not [order for order in orders([*left]) if isinstance(order, Publish)]
    reasons = [each.reason for each in left if isinstance(each, Decided)]
    assert "lies behind where it came from" in reasons
    assert [order for order in orders([*published], "north") if isinstance(order, Publish)]

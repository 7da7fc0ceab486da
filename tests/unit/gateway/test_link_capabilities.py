"""What a gateway's core is reported of an adapter's event service when its link is up."""

from typing import ClassVar

import pytest
from fes.gateway.inputs import LinkUp
from fes.link.end import Message
from fes_gateway.adapters import Adapters
from support.gateways.cores import core_of


class Silent:
    """A link that nothing goes over."""

    counters: ClassVar[dict[str, int]] = {}

    def send(self, message: Message) -> bool:
        del message
        return True

    async def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("name", ["persistent", "suppresses", "stamps"])
@pytest.mark.parametrize("value", [False, True])
def test_each_capability_that_decides_about_events_is_reported(name: str, *, value: bool) -> None:
    adapters = Adapters(core_of("north").settings)
    usual = {"persistent": True, "suppresses": True, "stamps": True}

    up = adapters.attach("north", Silent(), {**usual, name: value})

    assert up == LinkUp(**{**usual, name: value})

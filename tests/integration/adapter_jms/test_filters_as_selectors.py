"""Filters run in the broker as selectors: on 2,000 random pairs it answers as the filter does."""

import math
import random
from collections import defaultdict
from typing import Any, Final

import pytest
from adapter_jms.codec import properties_of
from adapter_jms.mapping import FilterMapping
from adapter_jms.selectors import guarded
from adapter_jms.settings import Settings
from fes.filter import Filter
from fes.filter.evaluate import compile_filter
from fes.mapping import Mapping
from fes.model import Event, Field, Type
from fes.testing.eventually import eventually
from support.filters.selecting import random_filter
from support.processes.activemq import ActiveMq
from support.processes.stomping import JmsClient

pytestmark = pytest.mark.broker

FILTERS, EVENTS = 50, 40

SETTINGS: Final = Settings(
    properties={
        "rate": "double",
        "axles": "int",
        "serial": "long",
        "ratio": "float",
        "braking": "boolean",
        "plate": "string",
    }
)
TYPES: Final = {
    "rate": Type.DOUBLE,
    "axles": Type.LONG,
    "serial": Type.LONGLONG,
    "ratio": Type.DOUBLE,
    "braking": Type.BOOLEAN,
    "plate": Type.STRING,
}
VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "rate": (0.0, -0.0, 46.0, 46.5, -1e300, math.inf, math.nan, 5e-324, 2.0**53),
    "axles": (0, 2, -2, 2**31 - 1),
    "serial": (0, 46, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)),
    "ratio": (0.1, 46.0, -0.0),
    "braking": (True, False),
    "plate": ("D-46", "d_46", "", "O'Connell", "50%", "a!b", "line\nbreak", "é\U0001f600:\\", "46"),
}
CONSTANTS: Final = (0, 0.0, -0.0, 46, 46.5, 0.1, 2, -2, 2**53, 2**53 + 1, 9007199254740992.0, 1e300)
TEXTS: Final = (
    "D-46",
    "d_46",
    "%46",
    "D%",
    "_-__",
    "",
    "O'Connell",
    "50%",
    "a!b",
    "%\n%",
    "é_:\\",
    "46",
)


def random_event(draw: random.Random) -> Event:
    names = [name for name in VALUES if draw.random() < 0.8]
    return Event("pairs", tuple(Field(n, TYPES[n], draw.choice(VALUES[n])) for n in names))


def is_read_alike(event: Event, text: str) -> bool:
    """Return whether the broker reads an event's values as the filter does.

    Not, where a double is minus zero or NaN, and not a float.
    """
    rate = event.parameter("rate")
    special = isinstance(rate, float) and (math.isnan(rate) or str(rate) == "-0.0")
    return not special and "ratio" not in text


async def test_two_thousand_pairs(broker: ActiveMq) -> None:
    draw = random.Random(2015)
    translation = FilterMapping(SETTINGS, Mapping(()))
    texts = [random_filter(draw, SETTINGS.properties, CONSTANTS, TEXTS) for _ in range(FILTERS)]
    filters = [Filter.of(text) for text in texts]
    events = [random_event(draw) for _ in range(EVENTS)]
    found = [translation.translate(each.tree) for each in filters]
    with JmsClient(broker.port) as client:
        for at, each in enumerate(found):
            for source in each.sources:
                client.subscribe("/topic/pairs", f"{at}", guarded(source.selector, "me"))
        client.subscribe("/topic/pairs", "all")
        assert client.errors == []
        for at, event in enumerate(events):
            headers, lost = properties_of(event.parameters, SETTINGS.properties)
            assert lost == 0
            client.send_as("/topic/pairs", b"", {**headers, "at": str(at)})
        client.flush()

        def arrived() -> bool:
            return sum(h["subscription"] == "all" for h, _ in tuple(client.messages)) == EVENTS

        await eventually(arrived)
        client.flush()
        answers: defaultdict[str, set[str]] = defaultdict(set)
        for headers, _ in tuple(client.messages):
            answers[headers["subscription"]].add(headers["at"])

    alike = 0
    for at, filter_ in enumerate(filters):
        test = compile_filter(filter_.tree)
        for number, event in enumerate(events):
            ours, theirs = test(event) is True, str(number) in answers[str(at)]
            assert theirs or not ours, (texts[at], event, found[at].sources)
            if not found[at].widened and is_read_alike(event, texts[at]):
                assert theirs == ours, (texts[at], event, found[at].sources)
                alike += 1
    assert alike > FILTERS * EVENTS / 4, "too few pairs are to be answered exactly"

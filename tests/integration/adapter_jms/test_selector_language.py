"""Selectors of JMS as a filter reads them, and filters as selectors, at ActiveMQ itself.

The message has properties with the types of Java, which a client of STOMP cannot make: the broker
sends it to itself.
"""

import random
from collections.abc import AsyncIterator
from typing import Final

import pytest
from adapter_jms.mapping import FilterMapping
from adapter_jms.selectors import guarded
from adapter_jms.settings import Settings
from fes.errors import FilterError
from fes.filter import Filter
from fes.filter.evaluate import compile_filter
from fes.filter.selector import parse_selector
from fes.mapping import Mapping as EventMapping
from fes.model import Event, Field, Type, type_of
from fes.testing.eventually import eventually
from support.filters.selecting import random_filter
from support.processes.activemq import ActiveMq
from support.processes.stomping import JmsClient

pytestmark = pytest.mark.broker

VALUES: Final = {
    "name": "James",
    "location": "London",
    "rank": 123,
    "version": 2,
    "byteProp": 123,
    "byteProp2": 33,
    "longProp": 2**53 + 1,
    "floatProp": 0.1,
    "doubleProp": 123.0,
    "quote": "'In God We Trust'",
    "foo": "_foo",
    "trueProp": True,
    "falseProp": False,
}

ROWS: Final = {
    "(trueProp OR falseProp) AND falseProp": False,
    "name = 'James' and rank < 200": True,
    "unknown = 'Foo' or anotherUnknown < 200": False,
    "rank + 2 = 125": True,
    "125 = (rank + 2)": True,
    "rank + version = 125": True,
    "rank - version = 121": True,
    "rank * version = 246": True,
    "rank between 100 and 150": True,
    "rank between 10 and 120": False,
    "name in ('James','Bob')": True,
    "name not in ('Gromit','Bob')": True,
    "Command NOT IN ('a','b')": False,
    "dummy is null": True,
    "name is null": False,
    "name is not null": True,
    "1. < 1.1": True,
    ".1 < .5": True,
    "-.5E1 < .1E1": True,
    "4E-10 < 5E-10": True,
    "1.E1 < 1.1E1": True,
    "quote = '''In God We Trust'''": True,
    "quote LIKE '''In G_d We Trust'''": True,
    "quote LIKE '''In Gd_ We Trust'''": False,
    "foo LIKE '%oo'": True,
    "foo LIKE '!_%' ESCAPE '!'": True,
    "quote LIKE '!_%' ESCAPE '!'": False,
    "foo NOT LIKE '!_%' ESCAPE '!'": False,
    "not(unknownProp)": False,
    "unknownProp <> 0": False,
    "NOT (unknownProp = 0)": False,
    "not(falseProp AND unknownProp)": True,
    "trueProp OR unknownProp": True,
    "-unknownProp = 0": False,
    "unknownProp * 2 = 0": False,
    "JMSType = 'selector-test'": True,
    "longProp = 9007199254740993": True,
    "doubleProp = 123": True,
    "byteProp2 = 33": True,
}


KINDS: Final = {
    "name": "String",
    "location": "String",
    "rank": "Integer",
    "version": "Short",
    "byteProp": "Byte",
    "byteProp2": "Byte",
    "longProp": "Long",
    "floatProp": "Float",
    "doubleProp": "Double",
    "quote": "String",
    "foo": "String",
    "trueProp": "Boolean",
    "falseProp": "Boolean",
}

DIVERGENT: Final = ("rank / version = 61.5", "version / rank > 0")
"""Of two integers ActiveMQ makes a double, JMS an integer, as Java does."""

NOT_SELECTORS: Final = ("3+5", "True AND 3+5", "=TEST 'test'", "name > 'A'", "")

SETTINGS: Final = Settings(
    properties={
        name: {"Integer": "int"}.get(kind, kind.lower())  # type: ignore[misc] # one of the types
        for name, kind in KINDS.items()
    }
)
EVENT: Final = Event(
    "typed",
    tuple(
        Field(name, Type.LONGLONG if name == "longProp" else type_of(value), value)
        for name, value in VALUES.items()
    ),
    (Field("JMSType", Type.STRING, "selector-test"),),
)


class Browser:
    """Asks the broker whether a selector selects the message."""

    def __init__(self, client: JmsClient) -> None:
        self._client = client
        self._number = 0

    async def selects(self, selector: str) -> bool | None:
        """Return whether it does; None where the broker refuses the selector."""
        self._number += 1
        client = self._client
        client.messages.clear()
        client.errors.clear()
        client.subscribe("/queue/typed", f"b{self._number}", selector, {"browser": "true"})
        await eventually(lambda: client.errors or self._has_ended(), what="the end of browsing")
        return None if client.errors else len(client.messages) > 1

    def _has_ended(self) -> bool:
        return any(headers.get("browser") == "end" for headers, _ in tuple(self._client.messages))


@pytest.fixture(scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    typed = {
        name: (kind, str(VALUES[name]).lower() if kind == "Boolean" else str(VALUES[name]))
        for name, kind in KINDS.items()
    }
    running = ActiveMq(tmp_path_factory.mktemp("typed"), typed=typed)
    running.start()
    with JmsClient(running.port) as client:
        found = Browser(client)
        await eventually(lambda: found.selects("rank = 123"), what="the message of types")
        yield found
    running.stop()


def selected(selector: str) -> bool:
    tested = Event("typed", (*EVENT.parameters, *EVENT.attributes))
    return compile_filter(parse_selector(selector))(tested) is True


async def test_a_selector_selects_here_what_it_selects_there(browser: Browser) -> None:
    answers = {row: (await browser.selects(row), selected(row)) for row in ROWS}
    assert answers == {row: (expected, expected) for row, expected in ROWS.items()}


async def test_division_of_integers_is_that_of_java_here_and_not_there(browser: Browser) -> None:
    for row in DIVERGENT:
        assert (await browser.selects(row), selected(row)) == (True, False)


async def test_what_is_not_a_selector_is_refused_here_and_there(browser: Browser) -> None:
    for text in filter(None, NOT_SELECTORS):
        with pytest.raises(FilterError):
            parse_selector(text)
        assert await browser.selects(text) is None, text


async def test_a_filter_on_properties_with_types_is_never_narrowed(browser: Browser) -> None:
    """Each kind of number that Java has, and constants beside the values."""
    draw = random.Random(14)
    translation = FilterMapping(SETTINGS, EventMapping(()))
    constants = [
        0.1,
        0.10000000149011612,
        123,
        123.5,
        2,
        33,
        2**53,
        2**53 + 1,
        9007199254740992.0,
        -1e300,
    ]
    texts = ["James", "jam", "J%", "_oo", "'In God", ""]
    for _ in range(300):
        tree = Filter.of(random_filter(draw, SETTINGS.properties, constants, texts)).tree
        if compile_filter(tree)(EVENT) is True:
            (source,) = translation.translate(tree).sources
            assert await browser.selects(guarded(source.selector, "me")), source.selector

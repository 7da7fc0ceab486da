"""Every form that is supplied, in every form that is consumed."""

import asyncio
from typing import Any

import pytest
from eventservices.cns import (
    AnyEvent,
    EventChannel,
    StructuredEvent,
    Value,
    as_structured,
    structured_event,
    typed_event,
)
from integration.cns.clients import (
    Anys,
    Batches,
    Structureds,
    any_consumer,
    any_puller,
    any_supplier,
    sequence_consumer,
    sequence_puller,
    sequence_supplier,
    structured_consumer,
    structured_puller,
    structured_supplier,
)
from integration.cns.conftest import Connect

pytestmark = pytest.mark.broker

ALARM = structured_event(
    ("Telecom", "Alarm"), "lost", variable_header={"Priority": 3}, filterable_data={"n": 1}, body=2
)
IN_ANY = structured_event(("", "%ANY"), body=5)
OTHER_ANY = structured_event(("Telecom", "%ANY"), "named", filterable_data={"n": 1}, body="x")
TYPED = typed_event("Bank::Account::deposit", {"amount": 100, "currency": "EUR"})

CASES: list[tuple[str, Any, Any, StructuredEvent]] = [
    # supplied as, what; what an Any consumer gets, what a structured one gets
    ("any", 5, 5, IN_ANY),
    ("any", None, None, structured_event(("", "%ANY"))),
    ("any", {"a": [1, "x"]}, {"a": [1, "x"]}, structured_event(("", "%ANY"), body={"a": [1, "x"]})),
    ("any", ALARM, ALARM, structured_event(("", "%ANY"), body=ALARM)),
    ("structured", ALARM, ALARM, ALARM),
    ("structured", IN_ANY, 5, IN_ANY),
    ("structured", OTHER_ANY, "x", OTHER_ANY),
    ("structured", TYPED, TYPED, TYPED),
    ("sequence", ALARM, ALARM, ALARM),
    ("sequence", IN_ANY, 5, IN_ANY),
]


@pytest.fixture
async def channel(connect: Connect, channel_name: str) -> EventChannel:
    return await (await connect()).open_channel(channel_name)


async def supply(channel: EventChannel, form: str, what: Any) -> None:
    if form == "any":
        await (await any_supplier(channel)).push(what)
    elif form == "structured":
        await (await structured_supplier(channel)).push_structured_event(what)
    else:
        await (await sequence_supplier(channel)).push_structured_events([what])
    await channel.my_factory.probe()


@pytest.mark.parametrize(("form", "what", "as_any", "structured"), CASES)
async def test_consumers_that_are_pushed_to_get_their_form(
    channel: EventChannel, form: str, what: Any, as_any: Value, structured: StructuredEvent
) -> None:
    anys, structureds, batches = Anys(), Structureds(), Batches()
    await any_consumer(channel, anys)
    await structured_consumer(channel, structureds)
    await sequence_consumer(channel, batches)

    await supply(channel, form, what)

    assert anys.values == [as_any]
    assert structureds.events == [structured]
    assert batches.got == [[structured]]


@pytest.mark.parametrize(("form", "what", "as_any", "structured"), CASES)
async def test_consumers_that_pull_get_their_form(
    channel: EventChannel, form: str, what: Any, as_any: Value, structured: StructuredEvent
) -> None:
    anys = await any_puller(channel)
    structureds = await structured_puller(channel)
    batches = await sequence_puller(channel)

    await supply(channel, form, what)

    async with asyncio.timeout(5):
        assert await anys.pull() == as_any
        assert await structureds.pull_structured_event() == structured
        assert await batches.pull_structured_events(5) == [structured]


async def test_an_any_survives_the_way_through_a_structured_consumer(
    channel: EventChannel,
) -> None:
    structureds, anys = Structureds(), Anys()
    await structured_consumer(channel, structureds)
    await supply(channel, "any", {"deep": [1, 2]})
    await any_consumer(channel, anys)

    await supply(channel, "structured", structureds.events[0])

    assert anys.values == [{"deep": [1, 2]}]
    assert structureds.events[0] == as_structured(AnyEvent({"deep": [1, 2]}))


def test_a_typed_invocation_names_its_operation_first() -> None:
    assert TYPED.event_type == ("", "%TYPED")
    assert list(TYPED.filterable_data.items()) == [
        ("operation", "Bank::Account::deposit"),
        ("amount", 100),
        ("currency", "EUR"),
    ]

"""Clients join with one call, in each form and style, at the default channel or a named one."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from eventservices.cns import ClientType, structured_event
from eventservices.cns.domains import ChannelNotFoundError, Connection, EventDomain
from eventservices.cns.errors import InterfaceError
from integration.cns_domains.conftest import Connect, Eventually, Made
from integration.cns_domains.recording import Anys, Queued, Structureds

pytestmark = pytest.mark.broker

FORMS = {
    "": ClientType.ANY_EVENT,
    "structured_": ClientType.STRUCTURED_EVENT,
    "sequence_": ClientType.SEQUENCE_EVENT,
}
Operation = Callable[..., Awaitable[object]]


def operation(domain: EventDomain, form: str, client: str) -> Operation:
    found: Operation = getattr(domain, f"connect_{form}{client}")
    return found


async def give(proxy: object, form: str, supplier: object, number: int) -> None:
    """Publish one event through a proxy, or leave it with a pull supplier."""
    event: object = structured_event(("Domain", "Type"), filterable_data={"number": number})
    if isinstance(supplier, Queued):
        supplier.waiting.append(event if form else number)
        return
    name = {"": "push", "structured_": "push_structured_event"}.get(form, "push_structured_events")
    given = {"": number, "structured_": event}.get(form, [event])
    await getattr(proxy, name)(given)


def taken(proxy: Any, form: str, consumer: object) -> list[object]:
    """Return what a consumer has got, numbers in all forms."""
    if isinstance(consumer, Anys):
        return list(consumer.values)
    if isinstance(consumer, Structureds):
        return [event.filterable_data["number"] for event in consumer.events]
    if not form:
        found, there = proxy.try_pull()
        return [found] if there else []
    if form == "structured_":
        found, there = proxy.try_pull_structured_event()
        return [found.filterable_data["number"]] if there else []
    found, _ = proxy.try_pull_structured_events(5)
    return [event.filterable_data["number"] for event in found]


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("supplying", ["push", "pull"])
@pytest.mark.parametrize("consuming", ["push", "pull"])
@pytest.mark.parametrize("form", FORMS)
async def test_each_of_the_24_operations_connects_its_client(
    domain_of: Made,
    eventually: Eventually,
    form: str,
    consuming: str,
    supplying: str,
    *,
    named: bool,
) -> None:
    domain = await domain_of(3)
    ctype = ClientType[
        {"": "ANY_EVENT", "structured_": "STRUCTURED_EVENT"}.get(form, "SEQUENCE_EVENT")
    ]
    await domain.add_connection(Connection(0, 1, ctype))
    await domain.set_default_consumer_channel(1)
    consumer: object = (Structureds() if form else Anys()) if consuming == "push" else None
    supplier: object = Queued() if supplying == "pull" else None
    suffix, ids = ("_with_id", ((1,), (0,))) if named else ("", ((), ()))
    out = await operation(domain, form, f"{consuming}_consumer{suffix}")(consumer, *ids[0])
    into = await operation(domain, form, f"{supplying}_supplier{suffix}")(supplier, *ids[1])
    consumed, supplied = domain.get_channel(1), domain.get_channel(0)
    assert out.my_admin is consumed.default_consumer_admin  # type: ignore[attr-defined] # of any form
    assert into.my_admin is supplied.default_supplier_admin  # type: ignore[attr-defined] # likewise
    await give(into, form, supplier, 7)
    got: list[object] = []

    def arrived() -> bool:
        got.extend(taken(out, form, consumer))
        return bool(got)

    await eventually(arrived)
    assert got[0] == 7


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "client", ["push_consumer", "pull_consumer", "push_supplier", "pull_supplier"]
)
async def test_without_a_channel_each_operation_finds_none(
    domain_of: Made, form: str, client: str
) -> None:
    domain = await domain_of(0)
    supplied = (Queued(),) if client == "pull_supplier" else (Structureds() if form else Anys(),)
    with pytest.raises(ChannelNotFoundError):
        await operation(domain, form, client)(*supplied)
    with pytest.raises(ChannelNotFoundError):
        await operation(domain, form, f"{client}_with_id")(*supplied, 3)


async def test_a_client_without_the_operation_of_its_form_is_refused_and_leaves_no_proxy(
    domain_of: Made,
) -> None:
    domain = await domain_of(1)
    with pytest.raises(InterfaceError):
        await domain.connect_structured_push_consumer(Anys())
    with pytest.raises(InterfaceError):
        await domain.connect_pull_supplier(object())
    channel = domain.get_channel(0)
    assert channel.default_consumer_admin.push_suppliers == ()
    assert channel.default_supplier_admin.pull_consumers == ()


class Counted:
    """Counts the operations that are called on an object, and on what they return."""

    def __init__(self, thing: object, calls: list[str]) -> None:
        self._thing = thing
        self._calls = calls

    def __getattr__(self, name: str) -> object:
        """Return an operation that counts its calls."""
        found = getattr(self._thing, name)

        def call(*arguments: object) -> object:
            self._calls.append(name)
            result = found(*arguments)
            plain = isinstance(result, Awaitable | tuple)
            return result if plain else Counted(result, self._calls)

        return call


async def test_by_hand_a_client_takes_six_calls_and_here_one(
    domain_of: Made, connect: Connect, eventually: Eventually
) -> None:
    domain = await domain_of(1)
    factory = await connect()
    await factory.open_channel(domain.get_channel(0).name)
    hand, here = Anys(), Anys()
    by_hand: list[str] = []
    await connect_by_hand(Counted(factory, by_hand), hand)
    by_domain: list[str] = []
    counting: Any = Counted(domain, by_domain)
    await counting.connect_push_consumer(here)
    supplier = await domain.connect_push_supplier()
    await supplier.push(1)
    await eventually(lambda: hand.values and here.values)
    assert (len(by_hand), len(by_domain)) == (6, 1)


async def connect_by_hand(factory: Any, consumer: Anys) -> None:
    """Connect a consumer as a client of the notification service alone does."""
    [channel_id] = factory.get_all_channels()
    channel = factory.get_event_channel(channel_id)
    [admin_id] = channel.get_all_consumeradmins()
    admin = channel.get_consumeradmin(admin_id)
    proxy = admin.obtain_notification_push_supplier(ClientType.ANY_EVENT)
    await proxy.connect_any_push_consumer(consumer)

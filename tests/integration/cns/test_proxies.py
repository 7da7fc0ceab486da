import pytest
from eventservices.cns import ChannelOptions, ClientType, EventChannel, ProxyPushSupplier
from eventservices.cns.errors import (
    AdminLimitExceededError,
    AdminNotFoundError,
    AlreadyConnectedError,
    DisconnectedError,
    InterfaceError,
    ProxyNotFoundError,
)
from eventservices.stamp import Stamp
from integration.cns.clients import Anys, Structureds, Supplier, any_consumer, any_supplier
from integration.cns.conftest import Connect

pytestmark = pytest.mark.broker


@pytest.fixture
async def channel(connect: Connect, channel_name: str) -> EventChannel:
    options = ChannelOptions(max_consumers=3, max_suppliers=2)
    return await (await connect()).open_channel(channel_name, options)


async def test_a_second_client_is_refused(channel: EventChannel) -> None:
    supplying = await any_supplier(channel)
    receiving = await any_consumer(channel, Anys())

    with pytest.raises(AlreadyConnectedError):
        await supplying.connect_any_push_supplier()
    with pytest.raises(AlreadyConnectedError):
        await receiving.connect_any_push_consumer(Anys())


async def test_who_is_not_connected_cannot_push(channel: EventChannel) -> None:
    proxy = channel.default_supplier_admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)

    with pytest.raises(DisconnectedError):
        await proxy.push(1)
    await proxy.connect_any_push_supplier()
    await proxy.push(1)
    await proxy.disconnect_push_consumer()
    await proxy.disconnect_push_consumer()
    with pytest.raises(DisconnectedError):
        await proxy.push(1)
    with pytest.raises(DisconnectedError):
        await proxy.connect_any_push_supplier()
    with pytest.raises(DisconnectedError):
        await proxy.offer_change([("a", "b")], [])


async def test_a_consumer_that_left_is_gone(channel: EventChannel) -> None:
    receiving = await any_consumer(channel, Anys())
    await receiving.disconnect_push_supplier()
    await receiving.disconnect_push_supplier()

    with pytest.raises(DisconnectedError):
        await receiving.subscription_change([("a", "b")], [])
    with pytest.raises(DisconnectedError):
        await receiving.connect_any_push_consumer(Anys())
    assert channel.default_consumer_admin.push_suppliers == ()


async def coroutine(_value: object, _stamp: Stamp | None) -> None:
    """Is what nobody would await."""


class Coroutine:
    push = staticmethod(coroutine)


@pytest.mark.parametrize("client", [None, object(), Structureds(), Coroutine()])
async def test_a_client_that_lacks_the_interface_is_refused(
    channel: EventChannel, client: object
) -> None:
    admin = channel.default_consumer_admin
    proxy = admin.obtain_notification_push_supplier(ClientType.ANY_EVENT)

    with pytest.raises(InterfaceError) as caught:
        await proxy.connect_any_push_consumer(client)

    assert isinstance(caught.value, TypeError)
    assert not proxy.connected
    await proxy.connect_any_push_consumer(Anys())


async def test_admins_and_proxies_are_found_by_id(channel: EventChannel) -> None:
    consumers, suppliers = channel.new_for_consumers(), channel.new_for_suppliers()
    receiving = consumers.obtain_notification_push_supplier(ClientType.ANY_EVENT)
    supplying = suppliers.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)

    assert channel.get_consumeradmin(consumers.my_id) is consumers
    assert channel.get_supplieradmin(suppliers.my_id) is suppliers
    assert channel.get_consumeradmin(0) is channel.default_consumer_admin
    assert channel.get_all_consumeradmins() == (0, consumers.my_id)
    assert channel.get_all_supplieradmins() == (0, suppliers.my_id)
    assert consumers.get_proxy_supplier(receiving.my_id) is receiving
    assert suppliers.get_proxy_consumer(supplying.my_id) is supplying
    assert (receiving.my_admin, supplying.my_admin) == (consumers, suppliers)
    with pytest.raises(AdminNotFoundError):
        channel.get_consumeradmin(99)
    with pytest.raises(AdminNotFoundError):
        channel.get_supplieradmin(99)
    with pytest.raises(ProxyNotFoundError):
        consumers.get_proxy_supplier(99)
    with pytest.raises(ProxyNotFoundError):
        suppliers.get_proxy_consumer(99)


async def test_limits_are_kept_and_free_again_after_leaving(channel: EventChannel) -> None:
    proxies: list[ProxyPushSupplier] = [await any_consumer(channel, Anys()) for _ in range(3)]
    await any_supplier(channel)
    await any_supplier(channel)

    with pytest.raises(AdminLimitExceededError) as caught:
        await any_consumer(channel, Anys())
    assert (caught.value.name, caught.value.value) == ("MaxConsumers", 3)
    with pytest.raises(AdminLimitExceededError):
        await any_supplier(channel)

    await proxies[0].disconnect_push_supplier()
    await any_consumer(channel, Anys())


async def test_destroying_an_admin_tells_its_clients(channel: EventChannel) -> None:
    admin = channel.new_for_suppliers()
    supplier = Supplier()
    proxy = admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)
    await proxy.connect_any_push_supplier(supplier)

    await admin.destroy()
    await admin.destroy()

    assert supplier.disconnected == 1
    assert channel.get_all_supplieradmins() == (0,)
    with pytest.raises(DisconnectedError):
        await proxy.push(1)
    with pytest.raises(DisconnectedError):
        admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)


async def test_a_closed_channel_takes_nothing(channel: EventChannel) -> None:
    supplier = Supplier()
    proxy = await any_supplier(channel, supplier)
    await any_consumer(channel, Anys())

    await channel.close()
    await channel.close()

    assert supplier.disconnected == 1
    with pytest.raises(DisconnectedError):
        await proxy.push(1)
    with pytest.raises(DisconnectedError):
        channel.new_for_consumers()
    with pytest.raises(DisconnectedError):
        channel.default_consumer_admin.obtain_notification_push_supplier(ClientType.ANY_EVENT)

"""Quality of service of real channels, admins and proxies: levels, inheritance, errors."""

import pytest
from eventservices.cns import (
    ChannelOptions,
    ClientType,
    Connection,
    ErrorCode,
    EventChannel,
    QoS,
    UnsupportedAdminError,
    UnsupportedQoSError,
)
from eventservices.cns.errors import AdminLimitExceededError, ChannelNotFoundError
from integration.cns.clients import Anys, any_consumer, any_supplier
from integration.cns.conftest import Connect

pytestmark = pytest.mark.broker


@pytest.fixture
async def connection(connect: Connect) -> Connection:
    return await connect()


@pytest.fixture
async def channel(connection: Connection, channel_name: str) -> EventChannel:
    return await connection.open_channel(channel_name)


def codes(error: UnsupportedQoSError | UnsupportedAdminError) -> list[tuple[str, ErrorCode]]:
    return [(found.name, found.code) for found in error.errors]


async def test_a_child_begins_with_its_parents_properties_and_then_goes_its_own_way(
    connection: Connection, channel_name: str
) -> None:
    channel = await connection.open_channel(channel_name, qos={QoS.PRIORITY: 1, "OrderPolicy": 1})
    admin = channel.new_for_consumers()
    assert admin.get_qos()["Priority"] == 1
    admin.set_qos({"Priority": 2})
    proxy = admin.obtain_notification_pull_supplier(ClientType.ANY_EVENT)
    assert (proxy.get_qos()["Priority"], proxy.get_qos()["OrderPolicy"]) == (2, 1)
    proxy.set_qos({"Priority": 3})

    channel.set_qos({"Priority": 9})

    assert channel.default_supplier_admin.get_qos()["Priority"] == 1
    assert admin.get_qos()["Priority"] == 2
    assert proxy.get_qos()["Priority"] == 3
    assert channel.new_for_suppliers().get_qos()["Priority"] == 9


async def test_a_wish_that_is_wrong_changes_nothing_and_tells_all(channel: EventChannel) -> None:
    proxy = await any_consumer(channel, Anys())
    before = proxy.get_qos()

    with pytest.raises(UnsupportedQoSError) as caught:
        proxy.set_qos(
            {"Priority": 5, "Colour": 1, "StartTime": {"time": 5}, "Timeout": "x", "OrderPolicy": 7}
        )

    assert codes(caught.value) == [
        ("Colour", ErrorCode.BAD_PROPERTY),
        ("StartTime", ErrorCode.UNSUPPORTED_PROPERTY),
        ("Timeout", ErrorCode.BAD_TYPE),
        ("OrderPolicy", ErrorCode.BAD_VALUE),
    ]
    assert proxy.get_qos() == before


async def test_validation_changes_nothing_and_tells_what_else_could_be_set(
    channel: EventChannel,
) -> None:
    found = channel.validate_qos({"Priority": 5, "Timeout": 1})

    assert set(found) == set(channel.get_qos()) - {"Priority", "Timeout"}
    assert found["OrderPolicy"] == (0, 3)
    assert found["EventReliability"] == (0, 0)
    assert channel.get_qos()["Priority"] == 0
    with pytest.raises(UnsupportedQoSError):
        channel.validate_qos({"Priority": 40_000})


async def test_an_event_may_ask_for_times_once_they_are_supported(channel: EventChannel) -> None:
    proxy = await any_supplier(channel)
    moment = {"time": 10**17}

    with pytest.raises(UnsupportedQoSError) as caught:
        proxy.validate_event_qos({"StartTime": moment, "MaximumBatchSize": 1})
    assert codes(caught.value) == [
        ("StartTime", ErrorCode.UNAVAILABLE_PROPERTY),
        ("MaximumBatchSize", ErrorCode.UNSUPPORTED_PROPERTY),
    ]
    proxy.set_qos({"StartTimeSupported": True})
    found = proxy.validate_event_qos({"StartTime": moment})
    assert set(found) == {"EventReliability", "Priority", "Timeout"}


async def test_a_broker_without_streams_keeps_nothing(
    connection: Connection, channel: EventChannel, channel_name: str
) -> None:
    persistent = {"EventReliability": 1, "ConnectionReliability": 1}

    with pytest.raises(UnsupportedQoSError) as caught:
        channel.set_qos(persistent)
    assert {code for _, code in codes(caught.value)} == {ErrorCode.UNSUPPORTED_VALUE}
    with pytest.raises(UnsupportedQoSError):
        await connection.open_channel(f"{channel_name}-2", qos=persistent)
    assert connection.get_all_channels() == (channel.my_id,)


async def test_a_durable_name_needs_a_persistent_connection(channel: EventChannel) -> None:
    admin = channel.default_consumer_admin
    proxy = admin.obtain_notification_push_supplier(ClientType.ANY_EVENT)

    with pytest.raises(UnsupportedQoSError, match="ConnectionReliability"):
        await proxy.connect_any_push_consumer(Anys(), durable="display")
    await proxy.connect_any_push_consumer(Anys())


async def test_limits_of_clients_are_administrative_properties(channel: EventChannel) -> None:
    channel.set_admin({"MaxConsumers": 2, "MaxSuppliers": 1})
    for _ in range(2):
        await any_consumer(channel, Anys())
    await any_supplier(channel)

    with pytest.raises(AdminLimitExceededError) as caught:
        channel.default_consumer_admin.obtain_notification_pull_supplier(ClientType.SEQUENCE_EVENT)
    assert (caught.value.name, caught.value.value) == ("MaxConsumers", 2)
    with pytest.raises(AdminLimitExceededError) as caught:
        channel.default_supplier_admin.obtain_notification_pull_consumer(ClientType.ANY_EVENT)
    assert (caught.value.name, caught.value.value) == ("MaxSuppliers", 1)
    channel.set_admin({"MaxConsumers": 0})
    await any_consumer(channel, Anys())


async def test_administrative_properties_may_be_given_at_the_beginning(
    connection: Connection, channel_name: str
) -> None:
    channel = await connection.open_channel(
        channel_name, ChannelOptions(max_consumers=5), admin={"MaxConsumers": 10}
    )
    assert channel.get_admin()["MaxConsumers"] == 10
    with pytest.raises(UnsupportedAdminError) as caught:
        await connection.open_channel(channel_name, admin={"MaxConsumer": 10})
    assert codes(caught.value) == [("MaxConsumer", ErrorCode.BAD_PROPERTY)]
    for _ in range(5):
        await any_consumer(channel, Anys())
    with pytest.raises(AdminLimitExceededError):
        await any_consumer(channel, Anys())


async def test_channels_are_found_by_their_ids(connection: Connection, connect: Connect) -> None:
    channel, number = await connection.create_channel({"Priority": 3}, {"MaxConsumers": 1})
    other = await connection.open_channel(f"{channel.name}-2")

    assert connection.get_all_channels() == (number, other.my_id)
    assert connection.get_event_channel(number) is channel
    assert (channel.my_factory, channel.get_qos()["Priority"]) == (connection, 3)
    assert (await (await connect()).open_channel(channel.name)).name == channel.name
    await channel.destroy()
    with pytest.raises(ChannelNotFoundError):
        connection.get_event_channel(number)


async def test_default_admins_are_there_from_the_beginning(channel: EventChannel) -> None:
    assert channel.for_consumers() is channel.default_consumer_admin
    assert channel.for_suppliers() is channel.default_supplier_admin
    assert (channel.for_consumers().my_id, channel.for_suppliers().my_id) == (0, 0)
    assert channel.for_consumers().my_channel is channel

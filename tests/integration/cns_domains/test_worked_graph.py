"""The graph that Erlang's test of its event domains walks through, with running channels."""

import pytest
from eventservices.cns import ClientType
from eventservices.cns.domains import (
    AlreadyExistsError,
    ChannelNotFoundError,
    Connection,
    ConnectionNotFoundError,
    CycleCreationForbiddenError,
    DiamondCreationForbiddenError,
    DiamondView,
    EventDomain,
    NotificationStyle,
)
from eventservices.cns.qos import ErrorCode, PropertyRange, UnsupportedQoSError
from integration.cns_domains.conftest import Eventually, Made
from integration.cns_domains.recording import Anys

pytestmark = pytest.mark.broker

ANY, STRUCTURED = ClientType.ANY_EVENT, ClientType.STRUCTURED_EVENT
PUSH, PULL = NotificationStyle.PUSH, NotificationStyle.PULL
CONNECTIONS = (
    Connection(2, 4, STRUCTURED, PULL),
    Connection(4, 1, ANY, PUSH),
    Connection(1, 3, ANY, PULL),
    Connection(3, 6, STRUCTURED, PUSH),
    Connection(5, 9, ANY, PULL),
    Connection(9, 1, ANY, PUSH),
    Connection(4, 7, STRUCTURED, PULL),
    Connection(7, 8, ANY, PUSH),
)


@pytest.fixture
async def domain(domain_of: Made) -> EventDomain:
    """Give the domain whose first channel was removed, so that its members are 1 to 9."""
    domain = await domain_of(10, CycleDetection=1, DiamondDetection=1)
    await domain.remove_channel(0)
    added = [await domain.add_connection(each) for each in CONNECTIONS]
    assert added == list(range(8))
    return domain


async def test_identifiers_are_those_of_the_table(domain: EventDomain) -> None:
    assert domain.get_all_channels() == tuple(range(1, 10))
    assert domain.get_all_connections() == tuple(range(8))
    assert domain.get_connection(0) == Connection(2, 4, STRUCTURED, PULL)


async def test_a_second_connection_of_an_ordered_pair_exists_already(domain: EventDomain) -> None:
    with pytest.raises(AlreadyExistsError) as raised:
        await domain.add_connection(Connection(7, 8, STRUCTURED, PULL))
    assert (raised.value.supplier_id, raised.value.consumer_id) == (7, 8)


async def test_a_connection_that_closes_a_cycle_is_refused_with_the_cycle(
    domain: EventDomain,
) -> None:
    with pytest.raises(CycleCreationForbiddenError) as raised:
        await domain.add_connection(Connection(8, 4))
    assert raised.value.cyc == (4, 7, 8)
    assert domain.get_all_connections() == tuple(range(8))


async def test_a_connection_to_itself_is_a_cycle_of_one(domain: EventDomain) -> None:
    with pytest.raises(CycleCreationForbiddenError) as raised:
        await domain.add_connection(Connection(6, 6))
    assert raised.value.cyc == (6,)


async def test_offer_and_subscription_channels_are_transitive(domain: EventDomain) -> None:
    assert domain.get_offer_channels(2) == ()
    assert domain.get_offer_channels(4) == (2,)
    assert domain.get_offer_channels(8) == (2, 4, 7)
    assert domain.get_subscription_channels(8) == ()
    assert domain.get_subscription_channels(4) == (1, 3, 6, 7, 8)
    assert domain.get_subscription_channels(2) == (1, 3, 4, 6, 7, 8)


async def test_an_unknown_channel_is_not_found(domain: EventDomain) -> None:
    for operation in (
        domain.get_offer_channels,
        domain.get_subscription_channels,
        domain.get_channel,
    ):
        with pytest.raises(ChannelNotFoundError):
            operation(100)
    for remove in (
        domain.remove_channel,
        domain.set_default_consumer_channel,
        domain.set_default_supplier_channel,
    ):
        with pytest.raises(ChannelNotFoundError):
            await remove(100)
    with pytest.raises(ChannelNotFoundError):
        await domain.add_connection(Connection(1, 100))


async def test_events_pass_from_2_to_6_and_8_and_from_7_to_8_alone(
    domain: EventDomain, eventually: Eventually
) -> None:
    six, eight = Anys(), Anys()
    await domain.connect_push_consumer_with_id(six, 6)
    await domain.connect_push_consumer_with_id(eight, 8)
    first = await domain.connect_push_supplier_with_id(None, 2)
    second = await domain.connect_push_supplier_with_id(None, 7)
    await first.push(1)
    await eventually(lambda: six.values and eight.values)
    await second.push(2)
    await eventually(lambda: len(eight.values) == 2)
    await first.push(3)
    await eventually(lambda: 3 in six.values and 3 in eight.values)
    assert (six.values, eight.values) == ([1, 3], [1, 2, 3])


async def test_a_removed_connection_is_gone_and_its_successor_has_a_new_identifier(
    domain: EventDomain, eventually: Eventually
) -> None:
    await domain.remove_connection(6)
    assert domain.get_offer_channels(7) == ()
    assert domain.get_subscription_channels(7) == (8,)
    assert domain.get_subscription_channels(4) == (1, 3, 6)
    with pytest.raises(ConnectionNotFoundError):
        await domain.remove_connection(6)
    with pytest.raises(ConnectionNotFoundError):
        domain.get_connection(6)
    six, eight = Anys(), Anys()
    await domain.connect_push_consumer_with_id(six, 6)
    await domain.connect_push_consumer_with_id(eight, 8)
    supplier = await domain.connect_push_supplier_with_id(None, 2)
    await supplier.push(1)
    await eventually(lambda: six.values)
    assert await domain.add_connection(Connection(4, 7, STRUCTURED, PULL)) == 8
    await supplier.push(2)
    await eventually(lambda: eight.values)
    assert eight.values == [2]


async def test_diamonds_are_refused_with_their_routes(domain: EventDomain) -> None:
    expected = {
        (4, 6): ((4, 1, 3, 6), (4, 6)),
        (5, 4): ((5, 4, 1), (5, 9, 1)),
        (8, 6): ((4, 1, 3, 6), (4, 7, 8, 6)),
    }
    for (supplier, consumer), diamond in expected.items():
        with pytest.raises(DiamondCreationForbiddenError) as raised:
            await domain.add_connection(Connection(supplier, consumer))
        assert list(raised.value.diam) == [diamond]
        assert not raised.value.diam.more
    assert domain.get_all_connections() == tuple(range(8))


async def test_authorised_diamonds_are_counted_and_forbidden_again_when_they_are_gone(
    domain: EventDomain,
) -> None:
    assert not domain.get_diamonds()
    await domain.set_qos({"DiamondDetection": 0})
    added = []
    for ends, count, pairs in (((5, 4), 1, 3), ((4, 6), 3, 5), ((8, 6), 3, 5)):
        added.append(await domain.add_connection(Connection(*ends)))
        assert len(domain.get_diamonds()) == count
        assert len(domain.get_diamonds(DiamondView.PAIR)) == pairs
    with pytest.raises(UnsupportedQoSError) as raised:
        await domain.set_qos({"DiamondDetection": 1})
    [error] = raised.value.qos_err
    assert error.code is ErrorCode.UNAVAILABLE_VALUE
    assert error.name == "DiamondDetection"
    assert error.available_range == PropertyRange(0, 0)
    for connection in added:
        await domain.remove_connection(connection)
    await domain.set_qos({"DiamondDetection": 1})
    assert domain.get_qos() == {"CycleDetection": 1, "DiamondDetection": 1}

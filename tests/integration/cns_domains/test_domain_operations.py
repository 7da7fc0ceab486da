"""Factories, members, defaults and quality of service, as the standard and its tests have them."""

import asyncio
from collections.abc import Callable

import pytest
from eventservices.cns import ClientType
from eventservices.cns.domains import (
    SHIPPED,
    ChannelNotFoundError,
    ChannelPlace,
    ClientTypeError,
    Connection,
    CycleCreationForbiddenError,
    DomainDestroyedError,
    DomainNotFoundError,
    EventDomainFactory,
)
from eventservices.cns.qos import (
    ErrorCode,
    PropertyRange,
    UnsupportedAdminError,
    UnsupportedQoSError,
)
from eventservices.errors import NotConnectedError
from eventservices.ports import free_port
from integration.cns_domains.conftest import Connect, Made

pytestmark = pytest.mark.broker

Place = Callable[[str], ChannelPlace]


async def test_domains_count_from_0_and_no_identifier_is_used_again(
    factory: EventDomainFactory,
) -> None:
    first, number = await factory.create_event_domain()
    assert number == 0
    await first.destroy()
    assert (await factory.create_event_domain())[1] == 1
    assert factory.get_all_domains() == (1,)
    with pytest.raises(DomainNotFoundError):
        factory.get_event_domain(0)


async def test_a_destroyed_domain_refuses_everything_and_destroying_it_again_is_idempotent(
    domain_of: Made,
) -> None:
    domain = await domain_of(2)
    await domain.add_connection(Connection(0, 1))
    await domain.destroy()
    await domain.destroy()
    with pytest.raises(DomainDestroyedError):
        domain.get_all_channels()
    with pytest.raises(DomainDestroyedError):
        await domain.add_connection(Connection(1, 0))
    assert not domain.running.movers


async def test_the_standards_defaults_authorise_and_those_shipped_forbid() -> None:
    standard, _ = await EventDomainFactory().create_event_domain()
    shipped, _ = await EventDomainFactory(defaults=SHIPPED).create_event_domain()
    assert standard.get_qos() == {"CycleDetection": 0, "DiamondDetection": 0}
    assert shipped.get_qos() == {"CycleDetection": 1, "DiamondDetection": 1}


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("CycleDetection", 10, ErrorCode.BAD_VALUE),
        ("DiamondDetection", -1, ErrorCode.BAD_VALUE),
        ("CycleDetection", True, ErrorCode.BAD_TYPE),
        ("DiamondDetection", "1", ErrorCode.BAD_TYPE),
        ("Unknown", 1, ErrorCode.BAD_PROPERTY),
        ("OrderPolicy", 1, ErrorCode.UNSUPPORTED_PROPERTY),
    ],
)
async def test_a_property_that_cannot_be_had_is_named(
    name: str, value: object, code: ErrorCode
) -> None:
    factory = EventDomainFactory()
    domain, _ = await factory.create_event_domain()
    with pytest.raises(UnsupportedQoSError) as created:
        await factory.create_event_domain({name: value})
    with pytest.raises(UnsupportedQoSError) as validated:
        domain.validate_qos({name: value})
    for raised in (created, validated):
        [error] = raised.value.qos_err
        assert (error.name, error.code) == (name, code)
        expected = PropertyRange(0, 1) if code is ErrorCode.BAD_VALUE else None
        assert error.available_range == expected
    assert factory.get_all_domains() == (0,)


@pytest.mark.parametrize("name", ["CycleDetection", "MaxQueueLength", "Unknown"])
async def test_a_domain_has_no_administrative_property(name: str) -> None:
    factory = EventDomainFactory()
    with pytest.raises(UnsupportedAdminError) as raised:
        await factory.create_event_domain({}, {name: 1})
    assert [error.name for error in raised.value.admin_err] == [name]
    domain, _ = await factory.create_event_domain()
    with pytest.raises(UnsupportedAdminError):
        domain.set_admin({name: 1})
    assert domain.get_admin() == {}


async def test_several_properties_change_together_or_not_at_all(domain_of: Made) -> None:
    domain = await domain_of(2)
    await domain.add_connection(Connection(0, 1))
    await domain.add_connection(Connection(1, 0))
    with pytest.raises(UnsupportedQoSError):
        await domain.set_qos({"DiamondDetection": 1, "CycleDetection": 1})
    assert domain.get_qos() == {"CycleDetection": 0, "DiamondDetection": 0}
    assert domain.validate_qos({"DiamondDetection": 1}) == {
        "CycleDetection": PropertyRange(0, 0),
        "DiamondDetection": PropertyRange(0, 1),
    }
    await domain.set_qos({"CycleDetection": 0})
    await domain.set_qos({"DiamondDetection": 1})
    await domain.remove_connection(0)
    await domain.set_qos({"CycleDetection": 1})
    await domain.set_qos({"CycleDetection": 0, "DiamondDetection": 0})


async def test_a_channel_keeps_its_own_quality_of_service(domain_of: Made) -> None:
    domain = await domain_of(1)
    before = domain.get_channel(0).get_qos()
    with pytest.raises(UnsupportedQoSError):
        await domain.set_qos({"OrderPolicy": 1, "CycleDetection": 1})
    assert domain.get_channel(0).get_qos() == before
    assert domain.get_qos()["CycleDetection"] == 0


async def test_the_first_channel_is_both_defaults_and_the_lowest_that_remains_succeeds(
    domain_of: Made, place: Place
) -> None:
    domain = await domain_of(4)
    assert (domain.default_consumer_channel, domain.default_supplier_channel) == (0, 0)
    await domain.set_default_supplier_channel(2)
    await domain.remove_channel(0)
    assert (domain.default_consumer_channel, domain.default_supplier_channel) == (1, 2)
    await domain.remove_channel(2)
    assert (domain.default_consumer_channel, domain.default_supplier_channel) == (1, 1)
    await domain.remove_channel(3)
    await domain.remove_channel(1)
    assert (domain.default_consumer_channel, domain.default_supplier_channel) == (None, None)
    with pytest.raises(ChannelNotFoundError):
        await domain.connect_pull_consumer()
    with pytest.raises(ChannelNotFoundError):
        await domain.connect_push_supplier()
    assert await domain.add_channel(place("again")) == 4
    assert (domain.default_consumer_channel, domain.default_supplier_channel) == (4, 4)


async def test_what_is_no_channel_is_refused(domain_of: Made) -> None:
    domain = await domain_of(1)
    for thing in ("channel", None, 3):
        with pytest.raises(ClientTypeError):
            await domain.add_channel(thing)  # type: ignore[arg-type] # that is the point
    with pytest.raises(ClientTypeError):
        await domain.add_connection(Connection(0, 0, 5))  # type: ignore[arg-type] # likewise
    styled = Connection(0, 0, ClientType.ANY_EVENT, "push")  # type: ignore[arg-type] # likewise
    with pytest.raises(ClientTypeError):
        await domain.add_connection(styled)
    assert domain.get_all_channels() == (0,)


async def test_a_running_channel_becomes_a_member_as_it_is(
    domain_of: Made, connect: Connect, place: Place
) -> None:
    domain = await domain_of(0)
    channel = await (await connect()).open_channel(place("running").channel)
    assert domain.get_channel(await domain.add_channel(channel)).name == channel.name


async def test_a_channel_whose_broker_is_away_is_not_added(domain_of: Made) -> None:
    domain = await domain_of(0)
    with pytest.raises(NotConnectedError):
        await domain.add_channel(ChannelPlace(f"nats://127.0.0.1:{free_port()}", "away"))
    assert domain.get_all_channels() == ()


async def test_removing_a_channel_closes_its_connections(domain_of: Made) -> None:
    domain = await domain_of(4)
    for ends in ((0, 1), (1, 2), (2, 3), (3, 0)):
        await domain.add_connection(Connection(*ends))
    await domain.remove_channel(1)
    assert domain.get_all_connections() == (2, 3)
    assert sorted(domain.running.movers) == [2, 3]
    assert domain.get_offer_channels(0) == (2, 3)
    assert domain.get_cycles().items == ()


async def test_in_a_cycle_a_channel_is_none_of_its_own_offer_channels(domain_of: Made) -> None:
    domain = await domain_of(3)
    for ends in ((0, 1), (1, 2), (2, 0)):
        await domain.add_connection(Connection(*ends))
    assert domain.get_offer_channels(0) == (1, 2)
    assert domain.get_subscription_channels(0) == (1, 2)


async def test_of_two_halves_of_a_cycle_added_at_once_one_is_refused(domain_of: Made) -> None:
    domain = await domain_of(2, CycleDetection=1)
    for _ in range(100):
        halves = (domain.add_connection(Connection(0, 1)), domain.add_connection(Connection(1, 0)))
        results = await asyncio.gather(*halves, return_exceptions=True)
        [refused] = [each for each in results if isinstance(each, BaseException)]
        assert isinstance(refused, CycleCreationForbiddenError)
        [added] = domain.get_all_connections()
        await domain.remove_connection(added)

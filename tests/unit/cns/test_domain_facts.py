"""Facts of the management of event domains that need no broker: numbers, data, what is listed."""

import pytest
from eventservices.cns import ClientType
from eventservices.cns.domains import (
    AlreadyExistsError,
    ChannelPlace,
    ChannelType,
    Connection,
    CycleDetection,
    DiamondCreationForbiddenError,
    DiamondDetection,
    DomainOptions,
    EventDomain,
    EventDomainFactory,
    EventLogDomain,
    EventLogDomainFactory,
    NotificationStyle,
    TypedEventDomain,
)
from eventservices.cns.domains.errors import ClientTypeError
from eventservices.cns.domains.graph import Bounded, DiamondView, Digraph, new_diamonds
from eventservices.cns.domains.moving.gateways import Subscription
from eventservices.cns.qos import PropertyRange, UnsupportedQoSError


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Subscribed:
    """Makes every subscription at once."""

    async def subscribe(self, _subscription: Subscription) -> None:
        return

    async def unsubscribe(self, _subscription: Subscription) -> None:
        return


async def domain_of(channels: int, **qos: int) -> EventDomain:
    """Return a domain of channels that only a gateway opens."""
    options = DomainOptions(subscribing=Subscribed())
    domain, _ = await EventDomainFactory(options=options).create_event_domain(qos)
    for number in range(channels):
        await domain.add_channel(ChannelPlace("", f"s{number}", f"s{number}", "http://g"))
    return domain


async def join(domain: EventDomain, *ends: tuple[int, int]) -> None:
    for each in ends:
        await domain.add_connection(Connection(*each))


def test_numbers_are_those_of_the_interface_definition() -> None:
    names = ["CHANNEL", "TYPED_CHANNEL", "LOG_CHANNEL", "TYPED_LOG_CHANNEL"]
    assert [(each.name, each.value) for each in ChannelType] == [
        (name, number) for number, name in enumerate(names)
    ]
    assert [each.name for each in NotificationStyle] == ["PUSH", "PULL"]
    assert [each.name for each in ClientType] == ["ANY_EVENT", "STRUCTURED_EVENT", "SEQUENCE_EVENT"]
    assert [(each.name, int(each)) for each in CycleDetection] == [
        ("AUTHORIZE_CYCLES", 0),
        ("FORBID_CYCLES", 1),
    ]
    assert [(each.name, int(each)) for each in DiamondDetection] == [
        ("AUTHORIZE_DIAMONDS", 0),
        ("FORBID_DIAMONDS", 1),
    ]


def test_the_levels_of_conformance_contain_one_another() -> None:
    assert EventLogDomain.__mro__.index(TypedEventDomain) < EventLogDomain.__mro__.index(
        EventDomain
    )
    assert issubclass(EventLogDomainFactory, EventDomainFactory)


async def test_a_refusal_has_all_diamonds_that_the_connection_would_make() -> None:
    domain = await domain_of(4, DiamondDetection=1)
    await join(domain, (0, 2), (1, 2), (0, 3), (1, 3))
    with pytest.raises(DiamondCreationForbiddenError) as raised:
        await domain.add_connection(Connection(2, 3))
    assert list(raised.value.diam) == [((0, 2, 3), (0, 3)), ((1, 2, 3), (1, 3))]
    assert domain.get_all_connections() == (0, 1, 2, 3)


def test_a_refusal_with_more_diamonds_than_its_bound_reports_so() -> None:
    edges = [(number, 100) for number in range(40)] + [(number, 101) for number in range(40)]
    found = new_diamonds(Digraph(edges), 100, 101, acyclic=True)
    assert (len(found), found.more, str(found)) == (16, True, "more than 16")
    assert "more than 16" in str(DiamondCreationForbiddenError(found))
    assert str(Bounded((1, 2))) == "2"


async def test_a_second_connection_exists_already_whatever_its_form_and_style() -> None:
    domain = await domain_of(2)
    await join(domain, (0, 1))
    for form in ClientType:
        for style in NotificationStyle:
            with pytest.raises(AlreadyExistsError):
                await domain.add_connection(Connection(0, 1, form, style))
    await join(domain, (1, 0))  # the other direction is another pair


async def test_where_they_are_forbidden_no_cycle_and_no_diamond_is_listed() -> None:
    domain = await domain_of(3, CycleDetection=1, DiamondDetection=1)
    await join(domain, (0, 1), (1, 2))
    assert list(domain.get_cycles()) == []
    for view in DiamondView:
        assert list(domain.get_diamonds(view)) == []


async def test_every_elementary_cycle_is_listed_from_its_lowest_channel_on() -> None:
    domain = await domain_of(4)
    await join(domain, (3, 1), (1, 2), (2, 3), (2, 1), (0, 0))
    assert list(domain.get_cycles()) == [(0,), (1, 2), (1, 2, 3)]


async def test_a_value_is_accepted_again_and_cycles_are_forbidden_once_there_is_none() -> None:
    domain = await domain_of(3)
    await domain.set_qos({"CycleDetection": 0, "DiamondDetection": 0})
    await join(domain, (0, 1), (1, 0))
    with pytest.raises(UnsupportedQoSError) as validated:
        domain.validate_qos({"CycleDetection": 1})
    with pytest.raises(UnsupportedQoSError) as changed:
        await domain.set_qos({"CycleDetection": 1})
    for raised in (validated, changed):
        [error] = raised.value.qos_err
        assert error.available_range == PropertyRange(0, 0)
    await domain.remove_connection(1)
    await domain.set_qos({"CycleDetection": 1})
    await domain.set_qos({"CycleDetection": 1})
    await domain.set_qos({"CycleDetection": 0})
    assert domain.get_qos() == {"CycleDetection": 0, "DiamondDetection": 0}


async def test_validated_properties_are_returned_with_their_ranges_and_nothing_changes() -> None:
    domain = await domain_of(1)
    required = {"CycleDetection": 1, "DiamondDetection": 1}
    both = PropertyRange(0, 1)
    assert domain.validate_qos(required) == {"CycleDetection": both, "DiamondDetection": both}
    assert domain.get_qos() == {"CycleDetection": 0, "DiamondDetection": 0}


async def test_a_member_that_only_its_gateway_opens_is_connected_to_by_no_client() -> None:
    domain = await domain_of(1)
    for connect in (domain.connect_pull_consumer, domain.connect_push_supplier):
        with pytest.raises(ClientTypeError):
            await connect()

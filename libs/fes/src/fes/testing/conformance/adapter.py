"""The behaviour of every adapter, whatever its event service.

Inherit `AdapterConformance` in a test module that provides a fixture `bench`.
"""

from functools import partial

import pytest
from eventservices.stamp import Stamp as NativeStamp

from fes.adapter.context import AdapterContext
from fes.adapter.opaque_client import OpaqueClient
from fes.control import ControlEvent, RequestType, from_event, to_event
from fes.eventlog import Decision
from fes.link.messages import (
    Announce,
    HeardControl,
    PublishControl,
    Subscribe,
    Unannounce,
    Unsubscribe,
)
from fes.model import Event, Field, Stamp, Type, binary
from fes.testing.conformance.bench import AdapterBench, captured
from fes.testing.conformance.crossing import AdapterCrossing
from fes.testing.conformance.events import SPEED, TIME_US, publication, speed
from fes.testing.conformance.refusal import AdapterRefusal
from fes.testing.eventually import eventually

__all__ = ["EVERY_TYPE", "FILTERS", "AdapterConformance", "publication", "speed"]

EVERY_TYPE = Event(
    SPEED,
    (
        Field("license_no", Type.STRING, "FES 0001 ü"),
        Field("axles", Type.LONG, -2),
        Field("rate", Type.DOUBLE, 55.0),
        Field("serial", Type.LONGLONG, 2**53 + 1),
        Field("small", Type.LONGLONG, 5),
        Field("braking", Type.BOOLEAN, True),
        Field("raw", Type.OCTETS, bytes(range(256))),
        Field("whole", Type.DOUBLE, 1.0),
    ),
    (Field("Priority", Type.LONG, 7), Field("note", Type.STRING, "kept")),
)

FILTERS = (
    "subject = 'Speed'",
    "subject = 'Speed' AND rate > 50",
    "subject = 'Speed' AND rate >= 55 AND axles < 0",
    "subject = 'Speed' AND NOT (rate <= 50)",
    "subject = 'Speed' AND (rate > 100 OR license_no STARTS WITH 'FES')",
    "subject = 'Speed' AND rate BETWEEN 50 AND 60 AND braking = TRUE",
    "subject = 'Speed' AND license_no IN ('x', 'FES 0001 ü')",
)


def opaque_client(kind: str, context: AdapterContext) -> OpaqueClient:
    """Return an FES-aware client of a context's event service."""
    return OpaqueClient(
        kind,
        context.service,
        system=context.system,
        client="city",
        brokers=context.brokers,
        settings=context.settings,
        medium=context.medium,
        pool=context.pool,
    )


def asked(heard: HeardControl) -> ControlEvent:
    """Return the request in a control event."""
    return from_event(binary.decode(heard.body), heard.stamp)


class AdapterConformance(AdapterCrossing, AdapterRefusal):
    """The suite; a test module inherits it and provides a fixture `bench`."""

    async def test_it_tells_its_identifiers_and_capabilities(self, bench: AdapterBench) -> None:
        """The gateway identifies an adapter by them."""
        adapter = await bench.adapter("a")
        assert adapter.id
        assert adapter.event_service_id
        assert adapter.capabilities.by_name()["stamps"] in (True, False)

    async def test_its_identifier_may_have_any_characters(self, bench: AdapterBench) -> None:
        """Names of the file become client identifiers, subjects and topics of the broker."""
        for name in ("a/b #1 +", "..", "%2F *>$", "é 東京", "x" * 128):
            async with captured(await bench.adapter(name)) as gateway:
                await gateway.order(Subscribe(1, "subject = 'Speed'", 1))
                stamp = await bench.publish_natively(speed(40.0), TIME_US)
                await eventually(partial(len, gateway.heard))
                assert [one.stamp.identity for one in gateway.heard] == [stamp.identity]

    async def test_it_disconnects_twice_without_harm(self, bench: AdapterBench) -> None:
        """Stopping is idempotent."""
        adapter = await bench.adapter("a")
        async with captured(adapter) as gateway:
            await gateway.runtime.stop()
            await gateway.runtime.stop()
        assert [record.name for record in gateway.logged(Decision.STOPPED)] == [adapter.id]

    async def test_it_hears_what_a_filter_accepts_and_nothing_else(
        self, bench: AdapterBench
    ) -> None:
        """Only events that a subscription accepts reach the gateway."""
        async with captured(await bench.adapter("a")) as gateway:
            await gateway.order(Subscribe(1, "subject = 'Speed' AND rate > 30", 1))
            await bench.publish_natively(speed(20.0), TIME_US)
            stamp = await bench.publish_natively(speed(40.0), TIME_US)

            await eventually(lambda: gateway.heard)

            assert [message.stamp.identity for message in gateway.heard] == [stamp.identity]
            assert gateway.heard[0].matched == (1,)
            assert gateway.heard[0].stamp.time_us == TIME_US
            assert gateway.events()[0].parameter("rate") == 40.0

    async def test_it_asks_for_at_least_what_each_filter_accepts(self, bench: AdapterBench) -> None:
        """However a filter is translated, what it accepts is received."""
        async with (
            captured(await bench.adapter("a")) as one,
            captured(await bench.adapter("b")) as other,
        ):
            for number, text in enumerate(FILTERS, 1):
                await one.order(Subscribe(number, text, number))
            await other.order(Announce(1, binary.encode(EVERY_TYPE)))

            await other.order(publication(EVERY_TYPE, 1))

            await eventually(lambda: one.heard)
            assert one.heard[0].matched == tuple(range(1, len(FILTERS) + 1))

    async def test_every_type_crosses_and_comes_back_as_it_was(self, bench: AdapterBench) -> None:
        """Values, types, order and attributes are kept."""
        async with (
            captured(await bench.adapter("a")) as one,
            captured(await bench.adapter("b")) as other,
        ):
            await one.order(Subscribe(1, "subject = 'Speed'", 1))
            await other.order(Announce(1, binary.encode(EVERY_TYPE)))

            await other.order(publication(EVERY_TYPE, 1))

            await eventually(lambda: one.heard)
            assert one.events() == [bench.received(EVERY_TYPE)]

    async def test_an_event_keeps_its_stamp_and_tells_its_way(self, bench: AdapterBench) -> None:
        """The same event has one identity wherever it surfaces."""
        natively = await bench.listen_natively(SPEED)
        async with captured(await bench.adapter("a")) as gateway:
            await gateway.order(Announce(1, binary.encode(speed(0.0))))

            await gateway.order(publication(speed(40.0), 7, "cns-v", "steam-v"))

            await eventually(lambda: natively)
            assert natively[0].stamp == NativeStamp(
                "far/away", 3, 7, TIME_US, "elsewhere", ("cns-v", "steam-v")
            )
            assert natively[0].event.parameter("rate") == 40.0

    async def test_native_clients_get_a_repeated_identity_once(self, bench: AdapterBench) -> None:
        """Two access points may publish one event; its consumers see one."""
        if not (await bench.adapter("a")).capabilities.suppresses:
            pytest.skip("its native clients know of no identity")
        natively = await bench.listen_natively(SPEED)
        async with (
            captured(await bench.adapter("a")) as one,
            captured(await bench.adapter("b")) as other,
        ):
            for gateway in (one, other):
                await gateway.order(Announce(1, binary.encode(speed(0.0))))
                await gateway.order(publication(speed(40.0), 1))
            await other.order(publication(speed(50.0), 2))

            await eventually(lambda: [n for n in natively if n.stamp and n.stamp.sequence == 2])
        assert [item.stamp.sequence for item in natively if item.stamp] == [1, 2]

    async def test_the_order_of_one_origin_is_kept(self, bench: AdapterBench) -> None:
        """First published is first received."""
        async with (
            captured(await bench.adapter("a")) as one,
            captured(await bench.adapter("b")) as other,
        ):
            await one.order(Subscribe(1, "subject = 'Speed'", 1))
            await other.order(Announce(1, binary.encode(speed(0.0))))
            for number in range(1, 201):
                other.runtime.receive(publication(speed(float(number)), number))

            await eventually(lambda: len(one.heard) == 200)
            assert [message.stamp.sequence for message in one.heard] == list(range(1, 201))

    async def test_an_unsubscription_ends_delivery_and_no_other(self, bench: AdapterBench) -> None:
        """One client's unsubscription never removes another's."""
        async with captured(await bench.adapter("a")) as gateway:
            await gateway.order(Subscribe(1, "subject = 'Speed'", 1))
            await gateway.order(Subscribe(2, "subject = 'Speed' AND rate > 30", 2))
            await gateway.order(Unsubscribe(1, 3))
            await bench.publish_natively(speed(20.0), TIME_US)
            await bench.publish_natively(speed(40.0), TIME_US)
            await eventually(lambda: gateway.heard)
            assert [message.matched for message in gateway.heard] == [(2,)]

            await gateway.order(Unsubscribe(2, 4))
            await bench.publish_natively(speed(50.0), TIME_US)
            await gateway.order(Subscribe(3, "subject = 'Speed' AND rate > 90", 5))
            await bench.publish_natively(speed(95.0), TIME_US)
            await eventually(lambda: len(gateway.heard) == 2)
            assert gateway.heard[1].matched == (3,)

    async def test_a_control_event_is_heard_by_others_and_not_by_itself(
        self, bench: AdapterBench
    ) -> None:
        """Control events cross the event service in its own form, whole."""
        control = ControlEvent(
            stamp=Stamp("city", 1, 5, TIME_US, "far"),
            system="test",
            type=RequestType.ANNOUNCEMENT,
            source="far",
            dist_list="near, *-m",
            event=Event.of(SPEED, rate=1.0, note="ü" * 2000),
            path=("far",),
            requester="city",
            version=TIME_US,
        )
        async with (
            captured(await bench.adapter("a")) as one,
            captured(await bench.adapter("b")) as other,
        ):
            other.runtime.receive(PublishControl(binary.encode(to_event(control))))

            await eventually(lambda: one.controls)
            told = from_event(binary.decode(one.controls[0].body), one.controls[0].stamp)
            assert told == control
            assert not other.controls

    async def test_a_client_holds_a_subscription_by_the_adapters_own_form(
        self, bench: AdapterBench
    ) -> None:
        """It is renewed while the client is there, and withdrawn when it goes."""
        context = (await bench.adapter("city")).context
        async with captured(await bench.adapter("a")) as gateway:
            kind, heard = gateway.runtime.adapter.kind, gateway.controls
            async with opaque_client(kind, context) as city:
                async with city.holding("near, *-m", "subject = 'Speed'", lease_s=0.6):
                    await eventually(lambda: len(heard) >= 3, what="two renewals")
                await eventually(lambda: asked(heard[-1]).type is RequestType.UNSUBSCRIPTION)
            told = [asked(each) for each in heard[:3]]
            assert {(one.source, one.dist_list, one.requester) for one in told} == {
                (context.service, "near, *-m", "city")
            }
            assert told[0].version < told[1].version < told[2].version
            assert all(one.expires_us == one.version + 600_000 for one in told)

    async def test_a_client_may_ask_for_everything_with_a_blank_filter(
        self, bench: AdapterBench
    ) -> None:
        """It crosses the event service unchanged, and is not mistaken for a missing filter."""
        context = (await bench.adapter("city")).context
        async with captured(await bench.adapter("a")) as gateway:
            async with opaque_client(gateway.runtime.adapter.kind, context) as city:
                for blank in ("", " "):
                    await city.subscribe("near", blank)
                await eventually(lambda: len(gateway.controls) == 2)
            assert [asked(each).filter.strip() for each in gateway.controls] == ["", ""]

    async def test_native_clients_of_a_subject_see_no_control_event(
        self, bench: AdapterBench
    ) -> None:
        """What gateways send one another does not concern native clients."""
        natively = await bench.listen_natively(SPEED)
        control = Event.of("FES_ControlEvent", Type=2, DistList="x", Source="y", Filter="Speed")
        async with captured(await bench.adapter("a")) as gateway:
            await gateway.order(Announce(1, binary.encode(speed(0.0))))
            gateway.runtime.receive(PublishControl(binary.encode(control)))
            await gateway.order(publication(speed(40.0), 1))
            await eventually(lambda: natively)
            counters = gateway.runtime.outbound.counters
            await eventually(lambda: counters["control_published"] == 1)
        assert [item.event.parameter("rate") for item in natively] == [40.0]

    async def test_what_is_announced_can_be_withdrawn(self, bench: AdapterBench) -> None:
        """Announcing and withdrawing are answered."""
        async with captured(await bench.adapter("a")) as gateway:
            await gateway.order(Announce(1, binary.encode(speed(0.0))))
            await gateway.order(Unannounce(1))
            assert len(gateway.logged(Decision.ANNOUNCED)) == 1
            assert len(gateway.logged(Decision.UNANNOUNCED)) == 1

    async def test_an_unreadable_event_is_set_aside_and_the_next_is_heard(
        self, bench: AdapterBench
    ) -> None:
        """One unreadable payload affects nothing else."""
        bench.skip_if_exempt("unreadable")
        async with captured(await bench.adapter("a")) as gateway:
            await gateway.order(Subscribe(1, "subject = 'Speed'", 1))
            await bench.publish_garbage()
            await bench.publish_natively(speed(40.0), TIME_US)

            await eventually(lambda: gateway.heard)

            counted = gateway.runtime.counted().counters
            assert sum(count for name, count in counted.items() if "malformed" in name) >= 1

    async def test_it_comes_back_after_its_broker_did(self, bench: AdapterBench) -> None:
        """Subscriptions are restored before the adapter is ready again."""
        bench.skip_if_exempt("restart")
        async with captured(await bench.adapter("a")) as gateway:
            await gateway.order(Subscribe(1, "subject = 'Speed'", 1))
            await bench.restart_broker()

            async def hears_again() -> bool:
                await bench.publish_natively(speed(40.0), TIME_US)
                return bool(gateway.heard)

            await eventually(hears_again, 30.0, "events after the restart")
            await eventually(lambda: gateway.runtime.ready, 30.0, "ready after the restart")

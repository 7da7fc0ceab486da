"""How events cross an event service: complete, once, whatever their names and values.

A part of the adapter suite.
"""

import math

from fes.link.messages import Announce, Subscribe
from fes.model import Event, Field, Stamp, Type, binary
from fes.testing.conformance.bench import AdapterBench, captured
from fes.testing.conformance.events import TIME_US, publication, speed
from fes.testing.eventually import eventually

AWKWARD = (
    "*",
    ">",
    "a.b",
    "/a",
    "a//b",
    "a b",
    "$SYS/x",
    "#",
    "+/x",
    "%ANY x",
    "Größe 速度",
    "it's",
)
"""Names with characters that have a meaning in some event service, broker or language."""

EDGES = Event(
    "Speed",
    (
        Field("empty", Type.STRING, ""),
        Field("text", Type.STRING, "ü 速度 \U0001f697 \n\t\"'\\"),
        Field("nan", Type.DOUBLE, math.nan),
        Field("infinite", Type.DOUBLE, -math.inf),
        Field("minus zero", Type.DOUBLE, -0.0),
        Field("smallest", Type.DOUBLE, 5e-324),
        Field("least", Type.LONG, -(2**31)),
        Field("most", Type.LONGLONG, 2**63 - 1),
        Field("few", Type.LONGLONG, -(2**63)),
        Field("no octets", Type.OCTETS, b""),
        Field("off", Type.BOOLEAN, False),
        Field(
            "inner",
            Type.EVENT,
            Event(
                "In it",
                (
                    Field("deeper", Type.EVENT, Event("D", (Field("nan", Type.DOUBLE, math.nan),))),
                    Field("octets", Type.OCTETS, bytes(range(256))),
                    Field("small", Type.LONGLONG, 5),
                ),
                (Field("note", Type.STRING, ""),),
            ),
        ),
        Field("hollow", Type.EVENT, Event("E")),
    ),
    (Field("small", Type.LONGLONG, 5), Field("@", Type.EVENT, Event("A"))),
)
"""Values at the edges of every type."""


class AdapterCrossing:
    """Needs a fixture `bench`."""

    async def test_the_edges_of_every_type_cross_and_come_back_as_they_were(
        self, bench: AdapterBench
    ) -> None:
        """Not a bit is lost, nor a type, nor the order."""
        async with (
            captured(await bench.adapter("a")) as one,
            captured(await bench.adapter("b")) as other,
        ):
            await one.order(Subscribe(1, "subject = 'Speed'", 1))
            await other.order(Announce(1, binary.encode(EDGES)))

            await other.order(publication(EDGES, 1))

            await eventually(lambda: one.heard)
            assert one.heard[0].body == binary.encode(bench.received(EDGES))

    async def test_overlapping_subscriptions_hear_an_event_once(self, bench: AdapterBench) -> None:
        """One copy goes to the gateway, with all subscriptions that matched."""
        async with captured(await bench.adapter("a")) as gateway:
            for number, limit in enumerate((10, 20, 30), 1):
                text = f"subject = 'Speed' AND rate > {limit}"
                await gateway.order(Subscribe(number, text, number))
            await gateway.order(Subscribe(4, "subject = 'Speed' AND license_no <> 'x'", 4))
            await bench.publish_natively(speed(40.0), TIME_US)
            await bench.publish_natively(speed(15.0), TIME_US)
            await bench.publish_natively(speed(99.0), TIME_US)

            await eventually(lambda: [e for e in gateway.events() if e.parameter("rate") == 99.0])

            assert [message.matched for message in gateway.heard] == [
                (1, 2, 3, 4),
                (1, 4),
                (1, 2, 3, 4),
            ]

    async def test_an_event_published_as_soon_as_a_subscription_holds_arrives(
        self, bench: AdapterBench
    ) -> None:
        """A client that was notified that it is active may rely on it, at any access point."""
        async with captured(await bench.adapter("a")) as gateway:
            for number in range(1, 11):
                subject = f"Subject{number}"
                await gateway.order(Subscribe(number, f"subject = '{subject}'", number))
                await bench.publish_natively(Event.of(subject, number=number), TIME_US)
            await eventually(lambda: len(gateway.heard) == 10, what="all ten events")
            numbers = [event.parameter("number") for event in gateway.events()]
            assert sorted(numbers) == [*range(1, 11)]  # of several subjects no order is promised

    async def test_awkward_names_cross_and_come_back(self, bench: AdapterBench) -> None:
        """No character of a subject or identifier has a meaning of its own."""
        bench.skip_if_exempt("names")
        events = {
            number: Event.of(name, {name: number, "plain": name}, {f"{name}!": name})
            for number, name in enumerate(AWKWARD, 1)
            if name not in bench.refused
        }
        async with (
            captured(await bench.adapter("a")) as one,
            captured(await bench.adapter("b")) as other,
        ):
            for number, event in events.items():
                name = event.subject
                quoted = name.replace("'", "''")
                text = (
                    f"subject = '{quoted}' AND \"{name}\" = {number} AND @\"{name}!\" = '{quoted}'"
                )
                await one.order(Subscribe(number, text, number))
                await other.order(Announce(number, binary.encode(event)))
            for number, event in events.items():
                await other.order(publication(event, number))

            await eventually(lambda: len(one.heard) == len(events), what="all events")
            one.heard.sort(key=lambda message: message.stamp.sequence)  # a bus may have overtaken
            assert one.events() == [bench.received(event) for event in events.values()]
            assert [message.matched for message in one.heard] == [(number,) for number in events]

    async def test_an_own_publication_is_heard_once_at_most_and_as_what_it_is(
        self, bench: AdapterBench
    ) -> None:
        """A gateway recognises it by its identity and its trail: nothing circulates."""
        trail = ("cns-v", "steam-v")
        async with (
            captured(await bench.adapter("a")) as one,
            captured(await bench.adapter("b")) as other,
        ):
            for gateway in (one, other):
                await gateway.order(Subscribe(1, "subject = 'Speed'", 1))
                await gateway.order(Announce(1, binary.encode(speed(0.0))))
            await one.order(publication(speed(40.0), 7, *trail))
            await eventually(lambda: other.heard)
            await bench.publish_natively(speed(60.0), TIME_US)
            await eventually(lambda: one.heard and one.events()[-1].parameter("rate") == 60.0)
            await eventually(lambda: len(other.heard) == 2)
            own = [each for each in one.heard if each.stamp.origin == "far/away"]
            assert len(own) <= 1
            for heard in (*own, other.heard[0]):
                assert (heard.stamp, heard.via) == (
                    Stamp("far/away", 3, 7, TIME_US, "elsewhere"),
                    trail,
                )

"""A hostile client of a SIENA service: it publishes anything, as fast as the broker accepts it.

    python -m support.siena.hostile URL SERVICE OTHER SYSTEM SECONDS [RATE]

RATE is how many messages a second it publishes at most.

It writes one line of JSON at the end: how many messages of each kind it sent.
"""

import asyncio
import json
import math
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec
import nats
from eventservices.siena.subjects import Subjects
from eventservices.stamp import HEADER
from fes.control import CONTROL_SUBJECT, RequestType

INDEX: Final = "FES_Subject"
BATCH: Final = 50
"""Messages between two flushes."""

KEYS: Final = 500
"""Clients that it claims to be."""

TEXTS: Final = ("", "{}", "[", '{"gateway": "g2"}', "x" * 1000, "(" * 500, "\x1f,;", "*", "a,,b")


class Place(NamedTuple):
    """Where it publishes.

    Attributes:
        service: The event service.
        other: Another one of the federation.
        system: The federation.
    """

    service: str
    other: str
    system: str


Attack = Callable[[random.Random, int, Place], dict[str, Any]]


def control(number: int, place: Place, kind: int, **parameters: Any) -> dict[str, Any]:
    """Return a control event of the event service, in its alphabet."""
    return {
        INDEX: CONTROL_SUBJECT,
        "Type": kind,
        "Source": place.service,
        "FES_A.FES_System": place.system,
        "FES_A.FES_Requester": f"r{number % KEYS}",
        "FES_A.FES_Version": time.time_ns() // 1000,
        **parameters,
    }


def garbage(chance: random.Random, number: int, place: Place) -> dict[str, Any]:
    """Return a control event, or a signal, of which parts are missing or absurd."""
    kind = chance.choice([1, 2, 3, 4, 5, 16, 17, 18, 19, 20, 99, -1])
    given = control(number, place, kind)
    for name in ("DistList", "Source", "Filter", "Text", "Event", "FES_A.FES_Path"):
        if chance.random() < 0.6:
            given[name] = chance.choice(TEXTS)
    return given


def subscription(chance: random.Random, number: int, place: Place) -> dict[str, Any]:
    """Return a subscription, or a withdrawal of one, that nothing is wrong with."""
    kind = chance.choice([RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION])
    wanted = f"subject = 'Load' AND rate > {number % KEYS}"
    return control(number, place, int(kind), DistList=place.other, Filter=wanted)


def announcement(chance: random.Random, number: int, place: Place) -> dict[str, Any]:
    """Return an announcement, another one with each message."""
    text = chance.choice(["", "x" * 5000])
    event = json.dumps(
        {"subject": f"Load{number % KEYS}", "parameters": {"text": text, "n": number}}
    )
    return control(number, place, 1, DistList=place.other, Event=event)


def renewal(chance: random.Random, number: int, place: Place) -> dict[str, Any]:
    """Return a lease that is prolonged, again and again, or made shorter."""
    given = control(0, place, 2, DistList=place.other, Filter="subject = 'Load'")
    lasts_us = chance.choice([1_000_000, 30_000_000, 3_600_000_000])
    return {**given, "FES_A.FES_Expires": given["FES_A.FES_Version"] + lasts_us + number}


def repeated(chance: random.Random, number: int, place: Place) -> dict[str, Any]:
    """Return the same subscription with each call."""
    del chance, number
    given = control(1, place, 2, DistList=place.other, Filter="subject = 'Load' AND rate > 7")
    return {**given, "FES_A.FES_Version": 5, "FES_A.FES_Id": f"mallory;1;7;1;{place.service}"}


def event(chance: random.Random, number: int, place: Place) -> dict[str, Any]:
    """Return an event that nobody subscribed to."""
    del chance, place
    return {INDEX: f"Load{number % 7}", "rate": float(number), "text": "x" * 100}


ATTACKS: Final[tuple[Attack, ...]] = (
    *(garbage, subscription, announcement, renewal, repeated, event),
)
STAMPS: Final = (
    *("", "o;1;1;5", f"mallory;1;{2**63 - 1};5;x;", "a%1Fb;1;1;5;x;", "%FF;1;1;5;x;", "o" * 5000),
)


async def attack(url: str, place: Place, seconds: float, rate: float) -> Counter[str]:
    """Publish until the time is over, or whoever started this is gone; return what was sent."""
    client, sent = await nats.connect(url), Counter[str]()
    subjects, chance = Subjects(place.service, INDEX), random.Random(7)
    begun_s, parent = time.monotonic(), os.getppid()
    while time.monotonic() < begun_s + seconds and os.getppid() == parent:
        for _ in range(BATCH):
            number = sent.total() + 1
            chosen = chance.choice(ATTACKS)
            attributes = chosen(chance, number, place)
            stamp = f"mallory;1;{number};{time.time_ns() // 1000};{place.service};"
            strange = chance.random() < 0.05
            await client.publish(
                subjects.publish_to(attributes),
                b"\xc1" if chance.random() < 0.02 else msgspec.msgpack.encode(attributes),
                headers={HEADER: chance.choice(STAMPS) if strange else stamp},
            )
            sent[chosen.__name__] += 1
        await client.flush(30)
        await asyncio.sleep(begun_s + sent.total() / rate - time.monotonic())
    await client.close()
    return sent


def main() -> None:
    """Read the command line, and attack."""
    url, service, other, system, seconds, *rates = sys.argv[1:]
    rate = float(rates[0]) if rates else math.inf
    sent = asyncio.run(attack(url, Place(service, other, system), float(seconds), rate))
    sys.stdout.write(json.dumps(sent) + "\n")


if __name__ == "__main__":
    main()

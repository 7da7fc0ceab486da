"""CNS PUB: the vehicle's own publisher, which reports its speed on board once a second."""

import asyncio
import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eventservices.cns import (
    ChannelOptions,
    ClientType,
    Connection,
    EventType,
    structured_event,
)
from eventservices.stamp import Stamp
from serving.clocks import wall_us

from traffic_control_events.natives.files import lines_of
from traffic_control_events.story import BRAKE, BUS, DRIVE, SAID, SCRIPT, SPEED, START_US

NAME = "cns-pub"
OFFERS = tuple(EventType("", subject) for subject in (SPEED, BRAKE))


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be published, and when.

    Attributes:
        time_us: On the drive's clock, microseconds since 1970 UTC.
        subject: Type of the event.
        data: Its filterable data.
    """

    time_us: int
    subject: str
    data: dict[str, Any]


async def publish(run: Path, url: str, speed: float, start_wall_us: int) -> None:
    """Publish the events of the run's script from now on, each at its time.

    Args:
        run: The run folder.
        url: Address of the CNS broker.
        speed: Seconds of the drive in a second of the wall clock.
        start_wall_us: When the drive's clock began, microseconds since 1970 UTC.

    Raises:
        EventServiceError: The broker is away.
    """
    async with Connection(url, name=NAME) as connection:
        channel = await connection.open_channel(BUS, ChannelOptions(home=BUS))
        supplier = channel.default_supplier_admin.obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await supplier.connect_structured_push_supplier(origin=NAME)
        await supplier.offer_change(OFFERS, [])
        script = list(script_from(run, round(START_US + (wall_us() - start_wall_us) * speed)))
        with lines_of(run / SAID) as tell:
            for due in script:
                due_us = start_wall_us + (due.time_us - START_US) / speed
                await asyncio.sleep(max(0.0, (due_us - wall_us()) / 1e6))
                event = structured_event(("", due.subject), due.subject, filterable_data=due.data)
                stamp = await supplier.push_structured_event(event, time_us=due.time_us)
                tell(_line(due, stamp))
        await connection.probe()


def script_from(run: Path, time_us: int) -> Iterator[Due]:
    """Yield what is to be published from now on, as long as the run's plan specifies.

    Args:
        run: The run folder.
        time_us: Now, on the drive's clock.
    """
    lasts_us = json.loads((run / DRIVE).read_text("utf-8"))["seconds"] * 1_000_000
    first_us: int | None = None
    for due in read_script(run):
        if due.time_us < time_us:
            continue
        first_us = due.time_us if first_us is None else first_us
        if due.time_us < first_us + lasts_us:
            yield due


def read_script(run: Path) -> Iterator[Due]:
    """Yield all that the vehicle could publish, in order of time."""
    with (run / SCRIPT).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            data: dict[str, Any] = {"license_no": row["license_no"]}
            if row["rate"]:
                data["rate"] = float(row["rate"])
            yield Due(int(row["time_us"]), row["subject"], data)


def _line(due: Due, stamp: Stamp) -> str:
    identity = "/".join(str(part) for part in stamp.identity)
    return json.dumps({"id": identity, "time_us": due.time_us, "subject": due.subject, **due.data})

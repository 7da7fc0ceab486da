"""The evidence: a run's logs, transformed up to where the promises can be queried."""

from dataclasses import dataclass

from pyspark.sql import DataFrame

from analytics.inputs.logs import good
from analytics.traffic.run import RunData
from analytics.transforms.deliveries import judged
from analytics.transforms.events import events
from analytics.transforms.frames import frames
from analytics.transforms.journeys import journeys
from analytics.transforms.legs import legs, posts
from analytics.transforms.limits import limits_in_force


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the logs come to; each part is described by the transform that makes it."""

    journeys: DataFrame
    posts: DataFrame
    legs: DataFrame
    events: DataFrame
    judged: DataFrame


def gather(data: RunData) -> Evidence:
    """Transform the logs into evidence.

    Each part is computed at once and its history cut: plans that grow by every step would cost
    more than the data.
    """
    logs, tables = data.logs, data.tables
    travelled = journeys(good(logs.event_log), tables.adapters).localCheckpoint()
    limits = limits_in_force(good(logs.commands), good(logs.event_log), tables.monitors)
    placed = posts(tables.monitors, limits, tables.outages).localCheckpoint()
    asked = sorted({text for vehicle in data.federation.vehicles for text in vehicle.filters})
    sent = frames(good(logs.truth), tables.vehicles, tables.outages, travelled, asked)
    allowed = legs(sent, placed, travelled).localCheckpoint()
    given = good(logs.deliveries)
    became = events(sent, allowed, given).localCheckpoint()
    held = judged(given, became, placed, travelled, whole=data.whole).localCheckpoint()
    return Evidence(travelled, placed, allowed, became, held)

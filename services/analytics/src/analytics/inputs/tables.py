"""What `federation.yaml` and `outages.jsonl` say, as small DataFrames."""

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from analytics.inputs import schemas
from analytics.inputs.federation import Federation, Vehicle
from analytics.inputs.outages import Outage
from analytics.spark.small import small_frame


@dataclass(frozen=True, slots=True)
class Tables:
    """Small tables, one row a vehicle, monitor, adapter and outage."""

    vehicles: DataFrame
    monitors: DataFrame
    adapters: DataFrame
    outages: DataFrame


def small_tables(
    spark: SparkSession,
    federation: Federation,
    licences: dict[str, str],
    outages: tuple[Outage, ...],
) -> Tables:
    """Return the tables of a federation.

    Args:
        spark: The session.
        federation: As it was run.
        licences: The licence of each vehicle of the trace.
        outages: As read.
    """
    vehicles = [_vehicle(vehicle, licences) for vehicle in federation.vehicles]
    monitors = [
        (m.name, m.service, m.gateway, m.city, m.lat, m.lon, m.range_m) for m in federation.monitors
    ]
    adapters = [(a.name, a.gateway, a.service, a.role) for a in federation.adapters]
    cuts = [(one.gateway, one.from_us, one.to_us) for one in outages]
    return Tables(
        vehicles=small_frame(spark, vehicles, schemas.FRAMES),
        monitors=small_frame(spark, monitors, schemas.MONITORS),
        adapters=small_frame(spark, adapters, schemas.ADAPTERS),
        outages=small_frame(spark, cuts, schemas.OUTAGES),
    )


def _vehicle(vehicle: Vehicle, licences: dict[str, str]) -> tuple[object, ...]:
    area = vehicle.area
    circle = (None, None, None, None)
    return (
        licences.get(vehicle.key, vehicle.key),
        vehicle.gateway,
        vehicle.bus,
        vehicle.air,
        vehicle.range_m,
        *((area.relative, area.lat, area.lon, area.radius_m) if area else circle),
        list(vehicle.filters),
    )

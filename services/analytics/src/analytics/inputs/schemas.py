"""Schemas of the logs, version 1. Absent members are null; readers give them a meaning."""

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
)

VERSION = 1
"""The version of the log formats that the judge reads."""

BROKEN = "_broken"
"""Column that has a line that is not of its schema; null on good lines."""

_TEXT, _LONG, _DOUBLE, _BOOL = StringType(), LongType(), DoubleType(), BooleanType()


def _struct(**fields: StringType | LongType | DoubleType | BooleanType | ArrayType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


TRUTH = _struct(
    v=_LONG,
    wall_us=_LONG,
    time_us=_LONG,
    vehicle=_TEXT,
    licence=_TEXT,
    lat=_DOUBLE,
    lon=_DOUBLE,
    speed_kmh=_DOUBLE,
    rate=_DOUBLE,
    id=_TEXT,
    sent=_BOOL,
)
"""`ground_truth.jsonl`: frames put on a bus; `sent` is false for one that could not be."""

COMMANDS = _struct(
    v=_LONG,
    action=_TEXT,
    monitor=_TEXT,
    destination=_TEXT,
    limit=_DOUBLE,
    sent_us=_LONG,
    applied_us=_LONG,
)
"""`commands.jsonl`: what the city requested; `applied_us` is null where it never was."""

DELIVERIES = _struct(
    v=_LONG,
    wall_us=_LONG,
    time_us=_LONG,
    id=_TEXT,
    monitor=_TEXT,
    vehicle=_TEXT,
    rate=_DOUBLE,
    path=ArrayType(_TEXT),
)
"""`offenders.jsonl`: what the city's native client was given."""

EVENT_LOG = StructType(
    [
        *_struct(
            v=_LONG,
            wall_us=_LONG,
            component=_TEXT,
            name=_TEXT,
            decision=_TEXT,
            id=_TEXT,
            subject=_TEXT,
        ),
        StructField("from", _TEXT),
        *_struct(to=_TEXT, request=_TEXT, type=_TEXT, what=_TEXT),
    ]
)
"""The event log: one line a decision of a gateway or an adapter."""

REQUIRED = {
    "truth": ("wall_us", "time_us", "vehicle", "licence", "lat", "lon", "speed_kmh", "rate", "id"),
    "commands": ("action", "monitor", "destination", "limit", "sent_us"),
    "deliveries": ("wall_us", "time_us", "id", "monitor", "vehicle", "rate", "path"),
    "event_log": ("wall_us", "component", "name", "decision"),
}
"""Members that every line of a log has."""

FRAMES = _struct(
    licence=_TEXT,
    v_gateway=_TEXT,
    bus=_TEXT,
    air=_TEXT,
    v_range_m=_DOUBLE,
    relative=_BOOL,
    p_lat=_DOUBLE,
    p_lon=_DOUBLE,
    p_radius_m=_DOUBLE,
    filters=ArrayType(_TEXT),
)
"""Vehicles of the federation; the circle's columns are null where an event has no area."""

MONITORS = _struct(
    monitor=_TEXT,
    m_service=_TEXT,
    m_gateway=_TEXT,
    city=_TEXT,
    m_lat=_DOUBLE,
    m_lon=_DOUBLE,
    m_range_m=_DOUBLE,
)
"""Monitors of the federation."""

ADAPTERS = _struct(name=_TEXT, gateway=_TEXT, service=_TEXT, role=_TEXT)
"""Adapters of the federation."""

OUTAGES = _struct(out_gateway=_TEXT, from_us=_LONG, to_us=_LONG)
"""Times for which a gateway was cut off."""

RESTARTS = _struct(number=_LONG, gateway=_TEXT, from_us=_LONG, until_us=_LONG)
"""Gateways that were killed and came back; `until_us` is when they must be as before."""

NAMES = _struct(name=_TEXT)
"""Names of components."""

FINDINGS = _struct(promise=_TEXT, id=_TEXT, monitor=_TEXT, reason=_TEXT)
"""What is wrong: which promise, which event, which monitor (or component), and why."""

PLACED = _struct(id=_TEXT, window=_LONG)
"""Events of a run that goes on, each with the window that it belongs to."""

TEXTS = _struct(file=_TEXT, offset=_LONG, value=_TEXT)
"""Lines that were kept: the file, where they began in it, and their text."""

NEWEST = _struct(wall_us=_LONG, id=_TEXT, monitor=_TEXT, path=ArrayType(_TEXT), offset=_LONG)
"""Deliveries that those to come are held against."""

ROWS = _struct(
    kind=_TEXT, file=_TEXT, offset=_LONG, id=_TEXT, value=_TEXT, batch=_LONG, window=_LONG
)
"""Lines about events: which log they are of, where they began, in which batch they came."""

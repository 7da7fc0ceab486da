"""Settings of a STEAM event service, checked before anything starts."""

from secrets import token_hex
from typing import Annotated

import msgspec
from eventservices.steam import AirSettings
from eventservices.steam.event import MAX_NAME, MAX_RANGE_M
from eventservices.steam.proximity import check_proximity
from eventservices.steam.settings import LARGEST_RANGE_M
from fes.adapter.context import AdapterContext
from msgspec import Meta

from adapter_steam.proximity import parse_area

ENVELOPE_BYTES = 16 * 1024
"""Bytes on the air beside an event: stamp, place, names of types."""

LARGEST_BYTES = 1_000_000
"""Largest payload that brokers accept by default."""


class Place(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the access point is: one of `{trace, vehicle}`, `{lat, lon}` and `{live: true}`.

    Attributes:
        trace: CSV file with the columns `time_us,vehicle,lat,lon`; relative to the federation file.
        vehicle: The vehicle whose track it follows.
        lat: Degrees north, WGS 84.
        lon: Degrees east, WGS 84.
        live: Whether the surrounding program updates it: see `SteamAdapter.location`.
    """

    trace: Annotated[str, Meta(min_length=1)] | None = None
    vehicle: Annotated[str, Meta(min_length=1)] | None = None
    lat: Annotated[float, Meta(ge=-90, le=90)] | None = None
    lon: Annotated[float, Meta(ge=-180, le=180)] | None = None
    live: bool = False

    def __post_init__(self) -> None:
        """Check that the place is specified once, and completely."""
        given = [
            name for name in ("trace", "vehicle", "lat", "lon") if getattr(self, name) is not None
        ]
        if self.live:
            given.append("live")
        if given not in (["trace", "vehicle"], ["lat", "lon"], ["live"]):
            raise ValueError(
                "expected {trace, vehicle}, {lat, lon} or {live: true}, "
                f"found {', '.join(given) or 'nothing'}"
            )


class SteamSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a STEAM event service.

    Attributes:
        location: Where the access point is.
        range_m: Its radio range; metres.
        proximity: Area of announcements and events that name none, in the form of the attribute
            `Proximity`; "" is the circle of `range_m` around the access point.
        air: Name of the air, the first level of its MQTT topics; "" is `<system>.<medium>`.
        cell_edge_m: Edge of a grid cell, the same in every process on the air; metres.
        connections: MQTT connections that the adapters of a process share.
        client_id: MQTT client identifier, to which the number of the connection is appended; "" is
            `<system>.<adapter>` and random characters.
        v_max_mps: Highest speed of an access point; metres a second of the federation clock.
    """

    location: Place
    range_m: Annotated[float, Meta(gt=0, le=MAX_RANGE_M)] = LARGEST_RANGE_M
    proximity: str = ""
    air: Annotated[str, Meta(max_length=MAX_NAME)] = ""
    cell_edge_m: Annotated[float, Meta(ge=1)] = LARGEST_RANGE_M
    connections: Annotated[int, Meta(ge=1, le=64)] = 1
    client_id: Annotated[str, Meta(max_length=MAX_NAME)] = ""
    v_max_mps: Annotated[float, Meta(ge=0)] = 70.0

    def __post_init__(self) -> None:
        """Check the proximity's text."""
        if self.proximity:
            try:
                check_proximity(parse_area(self.proximity))
            except ValueError as error:
                raise ValueError(f"proximity: {error}") from error

    @property
    def area(self) -> str:
        """Text of the proximity of events that name none."""
        return self.proximity or f"0,1,0,0,{self.range_m!r}"


def air_settings(context: AdapterContext, settings: SteamSettings, broker: str) -> AirSettings:
    """Return the settings with which this process connects to the air."""
    return AirSettings(
        broker,
        settings.air or f"{context.system}.{context.medium or context.service}",
        # The first adapter of a process names its client. One of the same name in another process,
        # which its gateway refuses, must not replace this one's connection.
        client_id=settings.client_id or f"{context.system}.{context.id}.{token_hex(4)}",
        cell_edge_m=settings.cell_edge_m,
        connections=settings.connections,
        v_max_mps=settings.v_max_mps,
        speed=context.speed,
        event_bytes=min(context.limits.event_bytes + ENVELOPE_BYTES, LARGEST_BYTES),
    )

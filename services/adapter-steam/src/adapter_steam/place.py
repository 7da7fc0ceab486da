"""The place of an access point: a location service for the setting."""

import asyncio
from pathlib import Path

from eventservices.errors import MalformedError
from eventservices.steam import FixedLocation, LiveLocation, Location, TraceLocation
from eventservices.steam.trace import load_trace
from fes.adapter.context import AdapterContext
from fes.errors import AdapterError

from adapter_steam.settings import Place


async def location_of(context: AdapterContext, place: Place) -> Location:
    """Return the location service that a setting requests.

    Raises:
        AdapterError: The trace cannot be read, or does not contain the vehicle.
    """
    if place.lat is not None and place.lon is not None:
        return FixedLocation(place.lat, place.lon)
    if place.trace is None or place.vehicle is None:
        return LiveLocation()
    return await _on_track(context, Path(context.base) / place.trace, place.vehicle)


async def _on_track(context: AdapterContext, path: Path, vehicle: str) -> Location:
    """Return a location on a track.

    The first adapter of a process that needs it reads the trace.
    """
    key = ("steam trace", str(path))
    try:
        await context.pool.acquire(key, lambda: asyncio.to_thread(load_trace, path), _keep)
        try:
            return TraceLocation(path, vehicle)
        finally:
            await context.pool.release(key)
    except (OSError, MalformedError) as error:
        raise AdapterError(f"location: {error}") from error


async def _keep(_: object) -> None:
    """Do nothing: the library that reads traces remembers them."""

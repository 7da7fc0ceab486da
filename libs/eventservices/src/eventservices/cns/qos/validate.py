"""Whether properties that a client requests can be had, and what else could be."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from eventservices.cns.qos.errors import ErrorCode, PropertyError, PropertyRange
from eventservices.cns.qos.kinds import PropertyValue, magnitude, read
from eventservices.cns.qos.properties import Level, Property


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What an object can offer now.

    Attributes:
        unavailable: Properties that cannot be set now.
        supported: Ranges that are all the implementation can do, where narrower than legal.
        available: Ranges left by other settings, where narrower than supported.
    """

    unavailable: Collection[str] = ()
    supported: Mapping[str, PropertyRange] = field(default_factory=dict)
    available: Mapping[str, PropertyRange] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a request for properties.

    Attributes:
        taken: The values that can be had, as they will be kept.
        errors: What is wrong; with any, nothing is to be applied.
    """

    taken: dict[str, PropertyValue]
    errors: tuple[PropertyError, ...]


def judge(
    table: Mapping[str, Property],
    level: Level,
    required: Mapping[str, object],
    now: Circumstances,
) -> Verdict:
    """Judge all properties that a client requests.

    Args:
        table: The properties that there are.
        level: Kind of object from which they are requested.
        required: What the client requests.
        now: What the object can offer.
    """
    taken: dict[str, PropertyValue] = {}
    errors: list[PropertyError] = []
    for name, given in required.items():
        found = _judge(table.get(name), name, level, given, now)
        if isinstance(found, PropertyError):
            errors.append(found)
        else:
            taken[str(name)] = found
    return Verdict(taken, tuple(errors))


def additional(
    table: Mapping[str, Property], level: Level, without: Collection[str], now: Circumstances
) -> dict[str, PropertyRange]:
    """Return the properties that could be set besides, with the values that they may have."""
    return {
        name: now.available.get(name) or now.supported.get(name) or item.range
        for name, item in table.items()
        if level in item.levels and name not in without and name not in now.unavailable
    }


def _judge(
    item: Property | None, name: str, level: Level, given: object, now: Circumstances
) -> PropertyValue | PropertyError:
    if item is None:
        return PropertyError(ErrorCode.BAD_PROPERTY, str(name))
    if level not in item.levels:
        return PropertyError(ErrorCode.UNSUPPORTED_PROPERTY, item.name)
    if name in now.unavailable:
        return PropertyError(ErrorCode.UNAVAILABLE_PROPERTY, item.name)
    value = read(item.kind, given)
    if value is None:
        return PropertyError(ErrorCode.BAD_TYPE, item.name)
    ranges = (
        (ErrorCode.BAD_VALUE, item.range),
        (ErrorCode.UNSUPPORTED_VALUE, now.supported.get(name)),
        (ErrorCode.UNAVAILABLE_VALUE, now.available.get(name)),
    )
    for code, allowed in ranges:
        if allowed is not None and not _within(value, allowed):
            return PropertyError(code, item.name, allowed)
    return value


def _within(value: PropertyValue, allowed: PropertyRange) -> bool:
    return magnitude(allowed.low) <= magnitude(value) <= magnitude(allowed.high)

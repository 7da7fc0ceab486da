"""Reads the body of a request into a control event."""

from fes.control import ControlEvent, RequestType
from fes.control.event import WITHDRAWING
from fes.distribution import matches, parse_list
from fes.errors import FesError
from fes.model import Event, attributes, is_reserved
from fes.model.limits import Limits, check_limits
from fes.model.text import from_plain, load_json
from pydantic import ValidationError
from serving.clocks import wall_us

from fes_gateway.host import GatewayHost
from fes_gateway.http.schemas import RequestIn
from fes_gateway.pack import NOBODY

NAMED = 10
"""Most event services that an error message lists."""

FILTERED = (RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION)


class BadRequestError(ValueError):
    """Raised when a body is not a valid request; the message names the place."""


def read_request(body: bytes, host: GatewayHost) -> ControlEvent:
    """Return the control event that a body requests.

    Args:
        body: Strict JSON: no bare NaN, no member twice, no deep nesting.
        host: The gateway.

    Raises:
        BadRequestError: The body is not JSON, not a request, or breaks a limit.
    """
    try:
        given = RequestIn.model_validate(load_json(body))
        kind = RequestType[given.type.upper()]
        _check_destinations(given, host.settings.services)
        return ControlEvent(
            stamp=NOBODY,
            system=host.settings.system,
            type=kind,
            source=given.source,
            dist_list=given.dist_list,
            filter=_filter(given, kind),
            event=_event(given, kind),
            requester=given.requester,
            expires_us=_expiry(given, kind),
        )
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "body"
        raise BadRequestError(f"{place}: {first['msg']}") from error
    except FesError as error:
        raise BadRequestError(str(error)) from error


def _check_destinations(given: RequestIn, services: tuple[str, ...]) -> None:
    """Raise an error where a destination could never exist, since the file names all services."""
    others = [name for name in services if name != given.source]
    for pattern in parse_list(given.dist_list):
        if not any(matches(pattern, name) for name in services):
            known = ", ".join(others[:NAMED]) + (", …" if len(others) > NAMED else "")
            raise BadRequestError(
                f"dist_list: no event service {pattern[:60]!r}; there are: {known}"
            )
    if not any(matches(each, name) for each in parse_list(given.dist_list) for name in others):
        raise BadRequestError("dist_list: names no event service but the source")


def _filter(given: RequestIn, kind: RequestType) -> str:
    if kind in FILTERED:
        if given.filter is None:
            raise BadRequestError(f"filter: a {given.type} needs one")
        return given.filter
    if given.filter is not None:
        raise BadRequestError(f"filter: a {given.type} has none")
    return ""


def _event(given: RequestIn, kind: RequestType) -> Event | None:
    if kind in FILTERED:
        if given.event is not None:
            raise BadRequestError(f"event: a {given.type} has none")
        return None
    if given.event is None:
        raise BadRequestError(f"event: a {given.type} needs one")
    event = from_plain(given.event)
    check_limits(event, Limits())
    attributes.check(event)
    if is_reserved(event.subject):
        raise BadRequestError(f"event.subject: {event.subject[:60]!r} is reserved")
    return event


def _expiry(given: RequestIn, kind: RequestType) -> int:
    if given.lease_s is None:
        return 0
    if kind in WITHDRAWING or kind is RequestType.PUBLICATION:
        raise BadRequestError(f"lease_s: a {given.type} has none")
    return wall_us() + round(given.lease_s * 1e6)

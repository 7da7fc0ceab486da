"""Requests: which may enter, and what rows of the table they become.

Source:
    design, sections 4 and 6, rule 1.
"""

from fes.control import ControlEvent, RequestType
from fes.control.event import WITHDRAWING
from fes.distribution import parse_list
from fes.errors import ControlEventError, FilterError
from fes.filter import canonical, parse
from fes.gateway.settings import GatewaySettings
from fes.gateway.table import Row
from fes.model import binary, is_reserved

CLOCK_SKEW_US = 3_600_000_000
"""How far in the future a version may lie: an hour."""

_FILTERED = (RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION)


def check_entry(control: ControlEvent, settings: GatewaySettings, arrived: str) -> None:
    """Raise an error unless a control event may enter.

    Args:
        control: The control event.
        settings: Of the gateway.
        arrived: Event service that it was heard at; "" where it came over the API.

    Raises:
        ControlEventError: It is of another system, of a type that is not accepted there, or tells
            a source that it cannot come from; the message names the parameter.
    """
    if control.system != settings.system:
        raise ControlEventError(
            f"attribute 'FES_System': {control.system[:60]!r} is another system"
        )
    if control.source not in settings.services:
        raise ControlEventError(f"parameter 'Source': no event service {control.source[:60]!r}")
    if not arrived:
        return
    if control.type not in settings.adapters[arrived].accept:
        raise ControlEventError(
            f"parameter 'Type': {control.type.word} is not accepted at {arrived}"
        )
    if not control.path and control.source != arrived:
        raise ControlEventError(
            f"parameter 'Source': a client at {arrived} cannot speak for {control.source!r}"
        )


def patterns_of(control: ControlEvent, settings: GatewaySettings) -> tuple[str, ...]:
    """Return the patterns of a control event's distribution list.

    Raises:
        ControlEventError: The list names nobody, is not well formed, or has too many patterns.
    """
    patterns = parse_list(control.dist_list)
    if len(patterns) > settings.max_patterns:
        raise ControlEventError(
            f"parameter 'DistList': {len(patterns)} patterns, more than {settings.max_patterns}"
        )
    return patterns


def rows_of(control: ControlEvent, patterns: tuple[str, ...], now_us: int) -> tuple[Row, ...]:
    """Return the rows of the request table that a request becomes, one a pattern.

    Args:
        control: Any request but a publication; its version is not 0.
        patterns: Of its distribution list.
        now_us: Wall clock, microseconds.

    Raises:
        ControlEventError: The filter is not in the language, the event is missing or reserved, or
            the version lies in the future.
    """
    if control.version > now_us + CLOCK_SKEW_US:
        raise ControlEventError(f"attribute 'FES_Version': {control.version} lies in the future")
    kind = WITHDRAWING.get(control.type, control.type)
    what, body = _what(control)
    return tuple(
        Row(
            kind=kind,
            source=control.source,
            requester=control.requester,
            what=what,
            pattern=pattern,
            withdrawn=control.type in WITHDRAWING,
            version=control.version,
            made_us=min(control.version, now_us),
            expires_us=0 if control.type in WITHDRAWING else control.expires_us,
            filter=control.filter,
            body=body,
            request=control.stamp,
        )
        for pattern in patterns
    )


def _what(control: ControlEvent) -> tuple[str, bytes]:
    if control.type in _FILTERED:
        try:
            return canonical(parse(control.filter)), b""
        except FilterError as error:
            raise ControlEventError(f"parameter 'Filter': {error}") from error
    if control.event is None:
        raise ControlEventError("parameter 'Event' is missing")
    if is_reserved(control.event.subject):
        raise ControlEventError(
            f"parameter 'Event': subject {control.event.subject[:60]!r} is reserved"
        )
    return control.event.subject, binary.encode(control.event)

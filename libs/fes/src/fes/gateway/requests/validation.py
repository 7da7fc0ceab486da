"""Requests: which may enter, and what rows of the table they become.

Source:
    design, sections 4 and 6, rule 1.
"""

import functools

import msgspec

from fes.control import ControlEvent, RequestType
from fes.control.event import WITHDRAWING
from fes.distribution import parse_list
from fes.errors import ControlEventError, EventError, FilterError
from fes.filter import canonical, parse
from fes.gateway.requests.row import FOREVER, Key, Row
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.model import binary, check_stamp, is_reserved
from fes.model.stamp import MAX_NAME

CLOCK_SKEW_US = 86_400_000_000
"""How far in the future a version may be: a day. Clocks are wrong by hours, not by more."""

COUNTS = 1_000_000
"""A version below it only counts; from there on it is a time, microseconds."""

_STANDING = (RequestType.SUBSCRIPTION, RequestType.ANNOUNCEMENT)

_FILTERED = (RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION)


FILTERS = 1024
"""Most filters whose canonical form is remembered; a table that is received again costs no
parsing."""


@functools.lru_cache(maxsize=FILTERS)
def canonical_filter(text: str) -> str:
    """Return the canonical form of a filter.

    Raises:
        FilterError: The text is not in the filter language.
    """
    return canonical(parse(text))


def check_entry(control: ControlEvent, settings: GatewaySettings, arrived: str) -> None:
    """Raise an error unless a control event may enter.

    Args:
        control: The control event.
        settings: Of the gateway.
        arrived: Event service that it was received at; "" where it came over the API.

    Raises:
        ControlEventError: It is of another system, of a type that is not accepted there, or names a
            source that it cannot come from; the message names the parameter.
    """
    if control.system != settings.system:
        raise ControlEventError(
            f"attribute 'FES_System': {control.system[:60]!r} is another system"
        )
    if control.source not in settings.known:
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


def as_observed(control: ControlEvent, service: str, adapter: str) -> ControlEvent:
    """Return the transparent request that an adapter made of what it observed.

    Whatever the adapter states, its source is the adapter's own event service and its path is
    empty. Its requester names the adapter: what one adapter no longer observes, another still may.

    Args:
        control: As the adapter sent it.
        service: Event service of the adapter.
        adapter: Its identifier.

    Raises:
        ControlEventError: It is a publication, which is received and not observed.
    """
    if control.type is RequestType.PUBLICATION:
        raise ControlEventError("parameter 'Type': a publication is not observed but received")
    requester = f"{control.requester}/{adapter}"
    return msgspec.structs.replace(
        control, source=service, requester=requester, path=(), next_gateway=""
    )


def patterns_of(control: ControlEvent, settings: GatewaySettings) -> tuple[str, ...]:
    """Return the patterns of a control event's distribution list.

    Raises:
        ControlEventError: The list is empty, is not well formed, or has too many patterns.
    """
    patterns = parse_list(control.dist_list)
    if len(patterns) > settings.max_patterns:
        raise ControlEventError(
            f"parameter 'DistList': {len(patterns)} patterns, more than {settings.max_patterns}"
        )
    return patterns


def rows_of(
    control: ControlEvent, patterns: tuple[str, ...], turn: Turn, kept_us: int
) -> tuple[Row, ...]:
    """Return the rows of a request for the request table, one for each pattern.

    Args:
        control: Any request but a publication; its version is not 0.
        patterns: Of its distribution list.
        turn: The moment.
        kept_us: How long a withdrawal is remembered.

    Raises:
        ControlEventError: The filter is not in the language, the event is missing or reserved, a
            number or name is out of range, or the version is in the future.
    """
    if control.version > latest(turn):
        raise ControlEventError(f"attribute 'FES_Version': {control.version} lies in the future")
    for name, number in (("Version", control.version), ("Expires", control.expires_us)):
        if not 0 <= number < FOREVER:
            raise ControlEventError(f"attribute 'FES_{name}': {number} is out of range")
    if len(control.requester) > MAX_NAME:
        raise ControlEventError(
            f"attribute 'FES_Requester': {len(control.requester)} characters, more than {MAX_NAME}"
        )
    withdraws = control.type in WITHDRAWING
    until_us = turn.own_us + kept_us if withdraws else _lease_ends_us(control, turn)
    kind = WITHDRAWING.get(control.type, control.type)
    what, body = _what(control)
    return tuple(
        Row(
            kind=kind,
            source=control.source,
            requester=control.requester,
            what=what,
            pattern=pattern,
            withdrawn=withdraws,
            version=control.version,
            since_us=turn.own_us,
            expires_us=0 if withdraws else control.expires_us,
            filter=control.filter,
            body=body,
            request=control.stamp,
            until_us=until_us,
        )
        for pattern in patterns
    )


def key_of(control: ControlEvent) -> Key:
    """Return the key of a request's rows.

    Raises:
        ControlEventError: The filter is not in the language, or the event is missing or reserved.
    """
    kind = WITHDRAWING.get(control.type, control.type)
    return Key(kind, control.source, control.requester, _what(control)[0])


def check_row(row: Row, settings: GatewaySettings, arrived: str, turn: Turn) -> None:
    """Raise an error unless a row of a neighbour's table may enter.

    Args:
        row: The row.
        settings: Of the gateway.
        arrived: Event service that it was received at.
        turn: The moment.

    Raises:
        ControlEventError: It is not accepted there, or states what no request could.
    """
    if row.kind not in _STANDING:
        raise ControlEventError(f"row of a table: {row.kind.word} is not a kind of row")
    asked = row.type
    if asked not in settings.adapters[arrived].accept:
        raise ControlEventError(f"row of a table: {asked.word} is not accepted at {arrived}")
    if row.source not in settings.known:
        raise ControlEventError(f"row of a table: no event service {row.source[:60]!r}")
    if len(patterns := parse_list(row.pattern)) != 1 or patterns[0] != row.pattern:
        raise ControlEventError(f"row of a table: pattern {row.pattern[:60]!r} is not one name")
    if row.version > latest(turn):
        raise ControlEventError(f"row of a table: version {row.version} lies in the future")
    for number in (row.version, row.expires_us, row.until_us, row.outlives_us):
        if not 0 <= number <= FOREVER:
            raise ControlEventError(f"row of a table: {number} is out of range")
    if not row.withdrawn and bool(row.expires_us) != bool(row.until_us):
        raise ControlEventError("row of a table: a lease without an end, or an end without one")
    _check_content(row)


def latest(turn: Turn) -> int:
    """Return the largest version that any clock may have produced by now."""
    return max(turn.now.wall_us, turn.own_us) + CLOCK_SKEW_US


def _lease_ends_us(control: ControlEvent, turn: Turn) -> int:
    """Return when a lease ends, own clock; 0 where the request has no lease.

    It lasts as long as its client requests, whatever this gateway's wall clock shows: from when the
    client made it, which is its version, or the time of its stamp where versions only count. Where
    that is not the time of a clock that is right within a day, the wall clock decides.
    """
    if not control.expires_us:
        return 0
    left_us = control.expires_us - turn.now.wall_us
    made_us = control.version if control.version >= COUNTS else control.stamp.time_us
    length_us = control.expires_us - made_us
    if not 0 < length_us <= left_us + CLOCK_SKEW_US:
        length_us = left_us
    return max(1, turn.own_us + length_us)


def _check_content(row: Row) -> None:
    try:
        check_stamp(row.request)
        if row.kind is RequestType.SUBSCRIPTION:
            what = canonical_filter(row.filter)
        else:
            what = binary.decode(row.body).subject
    except (FilterError, EventError) as error:
        raise ControlEventError(f"row of a table: {error}") from error
    if what != row.what or is_reserved(what):
        raise ControlEventError(f"row of a table: is about {what[:60]!r}, not {row.what[:60]!r}")


def _what(control: ControlEvent) -> tuple[str, bytes]:
    if control.type in _FILTERED:
        try:
            return canonical_filter(control.filter), b""
        except FilterError as error:
            raise ControlEventError(f"parameter 'Filter': {error}") from error
    if control.event is None:
        raise ControlEventError("parameter 'Event' is missing")
    if is_reserved(control.event.subject):
        raise ControlEventError(
            f"parameter 'Event': subject {control.event.subject[:60]!r} is reserved"
        )
    return control.event.subject, binary.encode(control.event)

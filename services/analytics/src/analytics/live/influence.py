"""Influence: which windows must be judged again, since what they are judged by has changed."""

from collections.abc import Iterable

from analytics.inputs.federation import Federation
from analytics.inputs.outages import Outage
from analytics.live.kept.control import Kept
from analytics.live.kept.state import Window
from analytics.transforms.cuts import MARGIN_US
from analytics.transforms.limits import SLACK_US


def by_lines(lines: Iterable[Kept], windows: Iterable[Window]) -> None:
    """Mark the windows that what was requested may change, from shortly before it was queried."""
    since = min((one.at_us - SLACK_US for one in lines), default=None)
    for window in windows:
        if since is not None and window.last_us >= since:
            window.stale = True


def by_boarding(
    lines: Iterable[Kept], known: Iterable[Kept], federation: Federation, windows: Iterable[Window]
) -> None:
    """Mark the windows before a bus's adapter was first subscribed, once that is known.

    Until then every frame counts as owed.
    """
    on_board = {one.name for one in federation.adapters if one.role == "bus"}
    heard = {_name(one) for one in known if one.act == "subscribed"}
    first = [
        one.at_us + SLACK_US
        for one in lines
        if one.act == "subscribed" and _name(one) in on_board - heard
    ]
    until = max(first, default=None)
    for window in windows:
        if until is not None and window.first_us <= until:
            window.stale = True


def by_outages(
    before: tuple[Outage, ...], after: tuple[Outage, ...], windows: Iterable[Window]
) -> None:
    """Mark the windows that fall into an outage that was not known, or is known otherwise."""
    changed = set(before) ^ set(after)
    for window in windows:
        if any(
            window.last_us >= one.from_us - MARGIN_US and window.first_us <= one.to_us + MARGIN_US
            for one in changed
        ):
            window.stale = True


def _name(line: Kept) -> str:
    return line.about.partition(" ")[0]

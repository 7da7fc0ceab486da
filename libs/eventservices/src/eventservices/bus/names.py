"""Names of events: domains, as of hosts, but with the root first.

`ie.tcd.cs.ActiveBadge` lies in the domain `ie.tcd.cs.`, that in `ie.tcd.`, that in `ie.`, and that
in the root, which is written `.`.

Source:
    Smart-building thesis, sections 4.4.2 and 4.4.7.
"""

import re
from collections.abc import Iterator
from typing import Final

from eventservices.bus.errors import EventNameError

ROOT: Final = "."
MOST_CHARACTERS: Final = 255
MOST_LABELS: Final = 32
NEW_SOURCE: Final = "newsource"
"""Name of the control event by which the naming service reports new sources."""

_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")


def check_name(name: str) -> str:
    """Return an event's name if it is one.

    Raises:
        EventNameError: It is too long, or has a label that is empty or has other characters than
            letters, digits, `_` and, inside, `-`.
    """
    if len(name) > MOST_CHARACTERS:
        raise EventNameError(f"event name of {len(name)} characters; at most {MOST_CHARACTERS}")
    labels = name.split(".")
    if len(labels) > MOST_LABELS:
        raise EventNameError(f"event name of {len(labels)} labels; at most {MOST_LABELS}")
    for place, label in enumerate(labels, 1):
        if not _LABEL.fullmatch(label):
            raise EventNameError(f"event name {name[:80]!r}: label {place} is not valid: {label!r}")
    return name


def check_domain(domain: str) -> str:
    """Return a domain if it is one: `.`, or labels that each end with `.`.

    Raises:
        EventNameError: It is none.
    """
    if domain == ROOT:
        return domain
    if not domain.endswith("."):
        raise EventNameError(f"domain {domain[:80]!r} does not end with a dot")
    return check_name(domain[:-1]) + "."


def domain_of(name: str) -> str:
    """Return the domain that an event's name lies in."""
    head, dot, _ = name.rpartition(".")
    return head + dot if dot else ROOT


def parent_of(domain: str) -> str:
    """Return the domain above; the root's is the root."""
    return ROOT if domain == ROOT else domain_of(domain[:-1])


def chain_of(domain: str) -> Iterator[str]:
    """Yield a domain and those above it, the root last."""
    while domain != ROOT:
        yield domain
        domain = parent_of(domain)
    yield ROOT


def lies_in(name: str, domain: str) -> bool:
    """Return whether an event's name, or a domain, lies in a domain or below it."""
    return domain == ROOT or name.startswith(domain)

"""Declarations of native STEAM nodes, in the neutral form of the federation's mapping."""

import math
from collections.abc import Iterable
from typing import Final

from eventservices.steam import Sighting
from eventservices.steam import Term as NativeTerm
from eventservices.steam.beacon import Announcement, Membership
from eventservices.steam.presence import Beacon
from fes.adapter.observed import Observed
from fes.filter import Condition
from fes.filter.language.tree import Comparison, Constant, Exists, Parameter, Subject, Truth, all_of
from fes.mapping import Native
from fes.model import Field, Type
from fes.model.attributes import PROXIMITY

from adapter_steam.proximity import format_area

LABEL: Final = "fes-adapter"
"""Distinguishes the nodes of adapters from native ones, for observers of the air."""


def observed(sighting: Sighting) -> Observed | None:
    """Return what a node declared or withdrew, in the neutral form.

    Args:
        sighting: From a native observer.

    Returns:
        None where it is not a declaration of a native client: an event, or what an adapter made.
    """
    beacon = sighting.message
    if not isinstance(beacon, Announcement | Membership) or beacon.sender.label == LABEL:
        return None
    by = _name(beacon)
    if sighting.kind in ("leave", "unannouncement"):
        return Observed(by, withdrawn=True)
    if isinstance(beacon, Membership):
        return Observed(by, wants=wanted(beacon.subject, beacon.content))
    area = Field(PROXIMITY, Type.STRING, format_area(beacon.proximity))
    return Observed(by, announces=(Native(beacon.subject, (), (area,)),))


def present(beacon: Beacon) -> Observed | None:
    """Return what a node declares now; None where it is an adapter's."""
    return observed(Sighting("join" if isinstance(beacon, Membership) else "announcement", beacon))


def wanted(subject: str, terms: Iterable[NativeTerm]) -> Condition:
    """Return a native subscription in the filter language; it accepts at least the same events.

    A nested event, which is JSON text on the air, is not compared as text.
    """
    is_subject = Comparison(Subject(), "=", Constant(subject))
    return all_of((is_subject, *map(_test, terms)))


def _test(term: NativeTerm) -> Condition:
    name = Parameter(term.parameter)
    if term.operator == "range":
        low = NativeTerm(term.parameter, ">=", term.value)
        high = NativeTerm(term.parameter, "<=", term.upper)
        return all_of((_test(low), _test(high)))
    if isinstance(term.value, float) and math.isnan(term.value):
        return Truth(value=False)  # nothing can be compared with it
    if isinstance(term.value, bytes) or term.value in (math.inf, -math.inf):
        return Exists(name)  # the language has no such constant
    return Comparison(name, term.operator, Constant(term.value))


def _name(beacon: Announcement | Membership) -> str:
    if isinstance(beacon, Membership):
        return f"subscription {beacon.number} of {beacon.sender.node} to {beacon.subject}"
    return f"announcement of {beacon.subject} by {beacon.sender.node}"

"""Filters as COSMIC subscriptions: channels, and identifiers of frames that know no channels.

COSMIC filters by subject, and not by content: a frame is untyped octets. So only the subjects of a
filter are applied natively, and the runtime applies the rest.
"""

import collections.abc
from dataclasses import dataclass
from typing import Any

from fes.adapter.native_form import NativeForm
from fes.adapter.settings import read_settings
from fes.errors import AdapterError
from fes.filter import Filter
from fes.mapping import Mapping
from fes.mapping.named import named_subjects, rules_for

from adapter_cosmic.settings import CosmicSettings


@dataclass(frozen=True, slots=True)
class Wanted:
    """One native subscription: to a channel, or to the frames of an identifier.

    Attributes:
        subject: Subject of the channel; "" for frames.
        can_id: Identifier of the frames; -1 for a channel.
        extended: Whether the identifier has 29 bits.
        group: Whether it is for all identifiers of its parameter group (SAE J1939).
    """

    subject: str = ""
    can_id: int = -1
    extended: bool = False
    group: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The native subscriptions that together accept at least what a filter accepts.

    Attributes:
        wanted: The subscriptions, each once; none where the filter accepts nothing.
        widened: Descriptions of what they accept beyond it; empty where they are exact.
    """

    wanted: tuple[Wanted, ...]
    widened: tuple[str, ...]


def plan(filter_: Filter, mapping: Mapping, settings: CosmicSettings) -> Plan:
    """Return the native subscriptions for a filter.

    Raises:
        AdapterError: The filter does not name its subjects, or names a reserved one.
        AdapterError: It names one that nothing on the bus becomes.
    """
    subjects, translation = named_subjects(filter_, "COSMIC")
    wanted = [each for name in subjects for each in sources_of(name, mapping, settings)]
    return Plan(tuple(dict.fromkeys(wanted)), translation.widened)


def native_form(
    filter_: Filter, mapping: Mapping, given: collections.abc.Mapping[str, Any]
) -> NativeForm:
    """Return the form of a filter on the bus; see `fes.adapter.native_form`.

    Raises:
        FederationError: The settings are not valid.
        FesError: As for `plan`.
    """
    settings = read_settings("cosmic", {"node": 1, **given}, CosmicSettings)
    planned = plan(filter_, mapping, settings)
    return NativeForm(tuple(map(_shown, planned.wanted)), planned.widened)


def _shown(wanted: Wanted) -> str:
    if wanted.can_id < 0:
        return f"channel {wanted.subject!r}"
    shown = f"{wanted.can_id:0{8 if wanted.extended else 3}X}"
    return f"frames of the parameter group of {shown}" if wanted.group else f"frames {shown}"


def sources_of(subject: str, mapping: Mapping, settings: CosmicSettings) -> tuple[Wanted, ...]:
    """Return the native subscriptions whose events can become events of a subject.

    Raises:
        AdapterError: There is none.
    """
    rules, automatic = rules_for(mapping, subject)
    found: dict[Wanted, None] = {}
    for rule in rules:
        if rule.can_id is not None:
            found[Wanted("", rule.can_id, rule.extended, rule.group)] = None
        elif rule.native_subject is not None:
            found[Wanted(rule.native_subject)] = None
    if automatic:
        found[Wanted(subject)] = None
    open_ = tuple(each for each in found if not settings.of(each.subject).local)
    if not open_:
        raise AdapterError(
            f"nothing on this bus becomes events of subject {subject[:100]!r}, "
            "or its channel is for this network only"
        )
    return open_

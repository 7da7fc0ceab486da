"""Scopes as data: what the file may contain."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fes.federation.names import Name

Filters = tuple[str, ...]
"""Filters of which one must accept; without any nothing may pass."""

Word = Annotated[str, Meta(min_length=1, max_length=512)]

Kind = Literal["string", "long", "double", "longlong", "boolean"]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of every part: unknown keys are errors."""


class Scale(Part, frozen=True, kw_only=True):
    """A linear conversion of a number.

    Attributes:
        by: Factor.
        plus: Added after that.
    """

    by: float = 1.0
    plus: float = 0.0


class XmlField(Part, frozen=True, kw_only=True):
    """An attribute of an XML element.

    Attributes:
        parameter: Parameter of the structured event.
        type: Its type.
    """

    parameter: Word
    type: Literal["string", "long", "double"] = "string"


class Xml(Part, frozen=True, kw_only=True):
    """A document with one element whose data are in attributes.

    Attributes:
        parameter: Parameter that contains the document.
        element: The element; subject of the structured event.
        fields: Parameters by XML attribute.
    """

    parameter: Word = "xml"
    element: Word
    fields: Annotated[dict[str, XmlField], Meta(min_length=1)]


class Result(Part, frozen=True, kw_only=True):
    """A parameter of the event that several events become.

    Attributes:
        of: Parameter of those events.
        how: Function of its values.
    """

    of: str = ""
    how: Literal["sum", "mean", "min", "max", "first", "last", "count"]


class Gathered(Part, frozen=True, kw_only=True):
    """Several events become one.

    Attributes:
        count: How many.
        key: Parameter whose value separates them.
        groups: Most groups that are incomplete at a time; the oldest is dropped first.
        subject: Subject of the event that they become.
        results: Its parameters.
    """

    count: Annotated[int, Meta(ge=2, le=1000)]
    key: str = ""
    groups: Annotated[int, Meta(ge=1, le=100_000)] = 1000
    subject: str = ""
    results: dict[str, Result] = {}


class MappingRule(Part, frozen=True, kw_only=True):
    """The mapping of the events that a filter accepts, step by step in the order of these keys.

    Attributes:
        when: Which events; all where it is absent.
        block: Whether they are blocked.
        from_xml: A document becomes a structured event.
        rename: Parameters, by their name: another name.
        convert: Parameters, by their name: another type.
        scale: Numbers, by their name.
        set: Parameters with constant values.
        drop: Parameters that are left out.
        subject: Another subject.
        gather: Several become one.
        to_xml: A structured event becomes a document.
        plugin: Name of an entry point `fes.scope_mappings`.
    """

    when: str | UnsetType = UNSET
    block: bool = False
    from_xml: Xml | UnsetType = UNSET
    rename: dict[str, Word] = {}
    convert: dict[str, Kind] = {}
    scale: dict[str, Scale] = {}
    set: dict[str, Any] = {}
    drop: tuple[str, ...] = ()
    subject: str = ""
    gather: Gathered | UnsetType = UNSET
    to_xml: Xml | UnsetType = UNSET
    plugin: str = ""


class Delivers(Part, frozen=True, kw_only=True):
    """Which of the members that could receive an event receive it.

    Attributes:
        to: All of them, or how the one is chosen.
        key: Parameter that `hash` and `sticky` use; the subject where it is empty.
        plugin: Name of an entry point `fes.scope_choosers`, of `plugin`.
    """

    to: Literal["all", "turns", "hash", "load", "sticky", "plugin"] = "all"
    key: str = ""
    plugin: str = ""


class Publishes(Part, frozen=True, kw_only=True):
    """When, and into which direct superscopes, events go.

    Attributes:
        choose: By direct superscope: a filter of the events that go there.
        which: Which events wait; all where it is absent.
        delay_s: How long, federation clock; a week at most.
        until: A filter: they wait until the scope sees an event that it accepts.
        waiting: Most events that wait.
        overflow: Which one is dropped when more would wait.
        at_end: What happens to waiting events when the scope ends.
    """

    choose: dict[Name, str] = {}
    which: str | UnsetType = UNSET
    delay_s: Annotated[float, Meta(ge=0, le=604_800)] = 0.0
    until: str | UnsetType = UNSET
    waiting: Annotated[int, Meta(ge=1, le=100_000)] = 1000
    overflow: Literal["drop-oldest", "drop-newest"] = "drop-oldest"
    at_end: Literal["release", "drop"] = "release"


class Join(Part, frozen=True, kw_only=True):
    """Which components may join a scope, as patterns of names; all where they are absent.

    Attributes:
        producers: Which may publish into it.
        consumers: Which may receive from it.
    """

    producers: tuple[Word, ...] | UnsetType = UNSET
    consumers: tuple[Word, ...] | UnsetType = UNSET


class Member(Part, frozen=True, kw_only=True):
    """A membership.

    Attributes:
        input: Replaces the member's own input interface.
        output: Replaces the member's own output interface.
        up: Mapping of what leaves the member.
        down: Mapping of what enters it.
        produces: Whether it publishes into the scope.
        consumes: Whether it receives from the scope.
    """

    input: Filters | UnsetType = UNSET
    output: Filters | UnsetType = UNSET
    up: tuple[MappingRule, ...] = ()
    down: tuple[MappingRule, ...] = ()
    produces: bool = True
    consumes: bool = True


class ScopePart(Part, frozen=True, kw_only=True):
    """A scope.

    Attributes:
        members: Event services, clients and scopes, by name.
        input: What may enter; everything where it is absent, nothing where it is empty.
        output: What may leave.
        delivery: Which members receive.
        traverse: Where receivers are searched first.
        publishing: When, and where, its events are published.
        session: Whether it is a session scope.
        join: Which components may join it.
    """

    members: dict[Name, Member] = {}
    input: Filters | UnsetType = UNSET
    output: Filters | UnsetType = UNSET
    delivery: Delivers = Delivers()
    traverse: Literal["broadcast", "top-down", "bottom-up"] = "broadcast"
    publishing: Publishes = Publishes()
    session: bool = False
    join: Join = Join()


class ClientPart(Part, frozen=True, kw_only=True):
    """A client that its broker authenticates.

    Attributes:
        service: Event service that it is a client of.
        principal: User, account or channel, as the broker knows it.
        carries_context: Whether it carries the session of what it reacts to.
        each_path: Whether it receives a copy by each different path.
    """

    service: Name
    principal: Word
    carries_context: bool = True
    each_path: bool = False

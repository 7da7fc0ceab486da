"""What an administrator declares of scopes: components, scopes, edges, interfaces and rights."""

from dataclasses import dataclass, field

from fes.distribution import matches
from fes.filter import Filter
from fes.model import Event
from fes.scopes.mappings.mapping import NO_MAPPING, Mapping
from fes.scopes.policies.declared import (
    BROADCAST,
    TO_ALL,
    Delivery,
    Publishing,
    Traverse,
)

Interface = tuple[Filter, ...] | None
"""Filters of which one must accept; None lets all events pass, an empty interface none."""


def passes(interface: Interface, event: Event) -> bool:
    """Return whether an interface lets an event pass.

    Source:
        Fiege et al., Engineering Event-Based Systems with Scopes, section 3.2.
    """
    return interface is None or any(filter_.matches(event) for filter_ in interface)


@dataclass(frozen=True, slots=True)
class Client:
    """A simple component: an event service, or a client that its broker vouches for.

    Attributes:
        name: Unique among components and scopes.
        service: Event service; the name itself where the whole service is the component.
        principal: What the broker vouches for: user, account or channel; empty for all clients.
        carries_context: Whether it can carry the hidden session of what it reacts to.
        each_path: Whether it receives one copy for each different path.
    """

    name: str
    service: str = ""
    principal: str = ""
    carries_context: bool = True
    each_path: bool = False

    @property
    def is_named(self) -> bool:
        """Whether it is one client of an event service, not a whole one."""
        return bool(self.service) and self.service != self.name


@dataclass(frozen=True, slots=True)
class Rights:
    """Who may join a scope.

    Attributes:
        producers: Patterns of names; None admits all.
        consumers: Patterns of names; None admits all.
    """

    producers: tuple[str, ...] | None = None
    consumers: tuple[str, ...] | None = None

    def may_produce(self, name: str) -> bool:
        """Return whether a member may publish into the scope."""
        return self.producers is None or any(matches(each, name) for each in self.producers)

    def may_consume(self, name: str) -> bool:
        """Return whether a member may receive from the scope."""
        return self.consumers is None or any(matches(each, name) for each in self.consumers)


ALL_RIGHTS = Rights()


@dataclass(frozen=True, slots=True)
class Scope:
    """A bundle of components that is a component itself.

    Attributes:
        name: Unique among components and scopes.
        input: What may enter; an edge may have its own.
        output: What may leave; an edge may have its own.
        delivery: Which of the members that could receive an event do.
        traverse: Whether members or subscopes are searched first.
        publishing: When, and into which direct superscopes, events go.
        session: Whether it is a tagged scope.
        rights: Who may join.
    """

    name: str
    input: Interface = None
    output: Interface = None
    delivery: Delivery = TO_ALL
    traverse: Traverse = BROADCAST
    publishing: Publishing = field(default_factory=Publishing)
    session: bool = False
    rights: Rights = ALL_RIGHTS

    @property
    def is_gate(self) -> bool:
        """Whether it delivers what enters it to its members by a decision or under a tag."""
        return self.session or self.selects or self.publishing.until is not None

    @property
    def selects(self) -> bool:
        """Whether a policy decides which of its members receive an event."""
        return self.delivery != TO_ALL or self.traverse is not BROADCAST


def component_of(node: Client | Scope) -> str:
    """Return the name of what publishes and receives: of a named client, its event service."""
    return node.service if isinstance(node, Client) and node.is_named else node.name


@dataclass(frozen=True, slots=True)
class Edge:
    """A membership: the member, and the scope that is its superscope.

    Attributes:
        member: A component or scope.
        scope: Its direct superscope.
        input: Instead of the member's input interface; None where the member's applies.
        output: Instead of the member's output interface.
        up: Mapping of what leaves the member, after the output interface.
        down: Mapping of what enters the member, before the input interface.
        produces: Whether the member publishes into the scope.
        consumes: Whether the member receives from the scope.
    """

    member: str
    scope: str
    input: Interface = None
    output: Interface = None
    up: Mapping = NO_MAPPING
    down: Mapping = NO_MAPPING
    produces: bool = True
    consumes: bool = True

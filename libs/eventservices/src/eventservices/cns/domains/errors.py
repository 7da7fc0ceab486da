"""The exceptions of event domains, named as in the standard, with their data.

EventServiceError
├── NotFoundError (LookupError)
│   ├── ChannelNotFoundError           no member of that id, or no default channel (of the CNS)
│   ├── DomainNotFoundError            no domain of that id
│   └── ConnectionNotFoundError        no connection of that id, and of that sort
├── AlreadyExistsError  (ValueError)   these two channels are connected in this direction
├── CycleCreationForbiddenError (ValueError)    carries the cycle
├── DiamondCreationForbiddenError (ValueError)  carries the sequence of diamonds
├── ClientTypeError     (TypeError)    it is not a channel, client or form of event
├── InterfaceNotSupportedError (TypeError)      a typed channel does not have the interface
├── NoSuchImplementationError (LookupError)     nobody declared the interface
├── InvocationError     (TypeError)    an operation or its parameters are not as declared
└── DomainDestroyedError (RuntimeError)         the domain was destroyed

Source:
    OMG Management of Event Domains 1.0, `CosEventDomainAdmin`; the sequence of diamonds as
    MEDIator corrects it; `CosTypedEventChannelAdmin` for the typed ones.
"""

from eventservices.cns.domains.graph import Bounded, Cycle, Diamond
from eventservices.cns.errors import ChannelNotFoundError, NotFoundError
from eventservices.errors import EventServiceError

__all__ = [
    "AlreadyExistsError",
    "ChannelNotFoundError",
    "ClientTypeError",
    "ConnectionNotFoundError",
    "CycleCreationForbiddenError",
    "DiamondCreationForbiddenError",
    "DomainDestroyedError",
    "DomainNotFoundError",
    "InterfaceNotSupportedError",
    "InvocationError",
    "NoSuchImplementationError",
]

_SHOWN = 20


class DomainNotFoundError(NotFoundError):
    """Raised when the factory has no domain of that id."""


class ConnectionNotFoundError(NotFoundError):
    """Raised when the domain has no connection of that id, or one of the other sort."""


class AlreadyExistsError(EventServiceError, ValueError):
    """Raised when two channels are connected already in the same direction.

    Args:
        supplier_id: The channel that supplies.
        consumer_id: The channel that consumes.
    """

    def __init__(self, supplier_id: int, consumer_id: int) -> None:
        super().__init__(f"channel {supplier_id} is connected to channel {consumer_id} already")
        self.supplier_id = supplier_id
        self.consumer_id = consumer_id


class CycleCreationForbiddenError(EventServiceError, ValueError):
    """Raised when a connection would close a cycle, and the domain forbids cycles.

    Args:
        cyc: The channels of the cycle, each once, from the connection's consumer channel on.
    """

    def __init__(self, cyc: Cycle) -> None:
        super().__init__(f"the connection would close the cycle {_joined((*cyc, cyc[0]))}")
        self.cyc = cyc


class DiamondCreationForbiddenError(EventServiceError, ValueError):
    """Raised when a connection would make a diamond, and the domain forbids diamonds.

    Args:
        diam: The diamonds that it would make, each a sequence of routes.
    """

    def __init__(self, diam: Bounded[Diamond]) -> None:
        routes = " and ".join(_joined(route) for route in (diam[0][:2] if diam else ()))
        super().__init__(f"the connection would make diamonds ({diam}): {routes}")
        self.diam = diam


class ClientTypeError(EventServiceError, TypeError):
    """Raised when something is not a channel, client or form of event of the sort that is needed.

    The standard calls it `TypeError`.
    """


class InterfaceNotSupportedError(EventServiceError, TypeError):
    """Raised when a typed channel does not support an interface.

    Args:
        interface: Name of the interface.
        member_id: The channel.
    """

    def __init__(self, interface: str, member_id: int) -> None:
        super().__init__(f"channel {member_id} does not support the interface {interface!r}")
        self.interface = interface
        self.member_id = member_id


class NoSuchImplementationError(EventServiceError, LookupError):
    """Raised when no declared interface has that name.

    Args:
        interface: The name.
    """

    def __init__(self, interface: str) -> None:
        super().__init__(f"no interface {interface!r} is declared")
        self.interface = interface


class InvocationError(EventServiceError, TypeError):
    """Raised when an operation is not declared, or its parameters are not those declared."""


class DomainDestroyedError(EventServiceError, RuntimeError):
    """Raised when the domain was destroyed."""


def _joined(route: Cycle) -> str:
    shown = "-".join(map(str, route[:_SHOWN]))
    return f"{shown}-…" if len(route) > _SHOWN else shown

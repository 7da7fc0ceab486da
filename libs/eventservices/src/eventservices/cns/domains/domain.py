"""Event domains: channels, connections between them, and clients that join with one call."""

from eventservices.cns.domains.consumers import ConsumerOperations
from eventservices.cns.domains.operations import DomainOperations
from eventservices.cns.domains.suppliers import SupplierOperations


class EventDomain(DomainOperations, ConsumerOperations, SupplierOperations):
    """A domain of channels of the CNS; a factory makes it.

    Its changes go one after another; when an operation returns, the journal has its changes.

    Attributes:
        id: Its identifier.
        state: Its members, connections and settings; read only.
        running: Its open channels and running connections.

    Source:
        OMG Management of Event Domains 1.0, interface `EventDomain`.
    """

"""Event domains: channels, connections between them, and clients that join with one call."""

from eventservices.cns.domains.consumers import ConsumerOperations
from eventservices.cns.domains.operations import DomainOperations
from eventservices.cns.domains.suppliers import SupplierOperations


class EventDomain(DomainOperations, ConsumerOperations, SupplierOperations):
    """A domain of channels of the CNS; a factory makes it.

    All its changes go one after another. What an operation returned from is in the journal.

    Attributes:
        id: Its identifier.
        state: What it has.
        running: What of it runs.

    Source:
        OMG Management of Event Domains 1.0, interface `EventDomain`.
    """

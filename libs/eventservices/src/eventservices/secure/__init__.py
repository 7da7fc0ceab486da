"""Secure connections: what an address needs beside host and port, and the errors of handshakes."""

from eventservices.secure.access import Access, one_access, split_access, with_access
from eventservices.secure.bridge import Bridge
from eventservices.secure.context import client_context
from eventservices.secure.faults import ended_early, handshake_fault, late

__all__ = [
    "Access",
    "Bridge",
    "client_context",
    "ended_early",
    "handshake_fault",
    "late",
    "one_access",
    "split_access",
    "with_access",
]

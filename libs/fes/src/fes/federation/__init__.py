"""The one file that describes a federation: its model, loading, checks, routes and clock."""

from fes.federation.check import check
from fes.federation.clock import FederationClock, moment_us
from fes.federation.file.dump import dump, resolved
from fes.federation.file.finding import Finding, InvalidFederationError, Severity, has_errors
from fes.federation.kinds import Kind, installed_kinds
from fes.federation.load import Document, examine, load, loads, struct_of
from fes.federation.model import Federation, adapter_id, is_on_medium, settings_of
from fes.federation.topology import Hop, Routes, Topology, attachments, mediums

__all__ = [
    "Document",
    "Federation",
    "FederationClock",
    "Finding",
    "Hop",
    "InvalidFederationError",
    "Kind",
    "Routes",
    "Severity",
    "Topology",
    "adapter_id",
    "attachments",
    "check",
    "dump",
    "examine",
    "has_errors",
    "installed_kinds",
    "is_on_medium",
    "load",
    "loads",
    "mediums",
    "moment_us",
    "resolved",
    "settings_of",
    "struct_of",
]

"""The event naming service: servers per domain in a tree, each of which answers any name."""

from fes_naming.core import NameServer, NamingSettings
from fes_naming.links import Links, LinksError, read_links

__all__ = ["Links", "LinksError", "NameServer", "NamingSettings", "read_links"]

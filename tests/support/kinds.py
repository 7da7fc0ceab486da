"""Kinds of event services for tests of the file's checks."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fes.federation import Kind
from fes.federation.capabilities import Capabilities


def able(**given: Any) -> Kind:
    """Return a kind that can do what is given; it keeps events where `persistent` says so."""

    def capabilities(settings: Mapping[str, Any]) -> Capabilities:
        can = Capabilities(**given)
        return replace(can, persistent=can.persistent or settings.get("persistent") is True)

    return Kind(capabilities=capabilities)

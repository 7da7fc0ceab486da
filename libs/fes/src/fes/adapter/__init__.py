"""Adapters: one class for each kind of event service, and one runtime for all of them."""

from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Subscription
from fes.adapter.registry import adapter_class, adapter_kinds
from fes.adapter.runtime import AdapterRuntime
from fes.federation.capabilities import Capabilities

__all__ = [
    "Adapter",
    "AdapterContext",
    "AdapterRuntime",
    "Capabilities",
    "Subscription",
    "adapter_class",
    "adapter_kinds",
]

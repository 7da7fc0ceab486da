"""Adapters: one class for each kind of event service, and one runtime for all of them."""

from fes.adapter.base import Adapter, AdapterContext, Subscription
from fes.adapter.capabilities import Capabilities
from fes.adapter.registry import adapter_class, adapter_kinds
from fes.adapter.runtime import AdapterRuntime

__all__ = [
    "Adapter",
    "AdapterContext",
    "AdapterRuntime",
    "Capabilities",
    "Subscription",
    "adapter_class",
    "adapter_kinds",
]

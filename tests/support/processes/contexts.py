"""Adapter contexts for tests, as `fes.testing` ships them."""

from fes.testing.contexts import adapter_context

__all__ = ["adapter_context"]

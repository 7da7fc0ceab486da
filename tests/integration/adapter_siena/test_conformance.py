"""The SIENA adapter passes the adapter suite, on a cluster of two servers."""

from fes.testing.conformance.adapter import AdapterConformance


class TestSienaAdapter(AdapterConformance):
    """The fixture `bench` is in conftest."""

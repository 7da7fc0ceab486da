"""The shared library of the Federated Event Service."""

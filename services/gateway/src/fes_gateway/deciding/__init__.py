"""Decisions of a gateway: how they are made, recorded and performed."""

"""Requests: their table, the desired state of each event service, and their outcomes."""

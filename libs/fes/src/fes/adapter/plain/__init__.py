"""Payloads, routes and settings, shared by the adapters of plain, topic-based systems."""

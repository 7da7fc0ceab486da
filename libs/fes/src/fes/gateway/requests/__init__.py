"""Requests: the table of them, what follows from it at each event service, their fate."""

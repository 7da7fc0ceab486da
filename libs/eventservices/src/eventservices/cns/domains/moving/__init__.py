"""Connections that run: events are moved from one channel to another."""

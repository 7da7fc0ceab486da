"""Proves or disproves, from the logs, that what was promised happened."""

"""Event domains."""

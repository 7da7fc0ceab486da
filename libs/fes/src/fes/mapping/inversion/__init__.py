"""Filters led back through a mapping."""

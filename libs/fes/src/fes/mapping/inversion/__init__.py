"""Inversion of filters through a mapping."""

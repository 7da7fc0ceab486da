"""Transmission policies of scopes: choosing among members, and what waits."""

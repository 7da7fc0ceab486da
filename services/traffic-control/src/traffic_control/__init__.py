"""The city: logs offenders and sets speed limits."""

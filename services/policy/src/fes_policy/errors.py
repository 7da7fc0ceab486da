"""The errors of the policy service."""

from fes.errors import FesError


class PolicyError(FesError, ValueError):
    """Raised when rules, a building's file or a test file are not valid."""

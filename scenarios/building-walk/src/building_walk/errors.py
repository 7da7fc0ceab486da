"""What ends a run without a verdict."""

from fes.errors import FesError


class WalkError(FesError):
    """Raised when sightings cannot be read, or a run cannot be made; names the place."""

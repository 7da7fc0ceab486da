"""What keeps a run from being judged."""


class UnjudgedError(ValueError):
    """Raised when a run left nothing that can be judged, or a file cannot be read."""

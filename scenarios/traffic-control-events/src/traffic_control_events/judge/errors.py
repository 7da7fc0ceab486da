"""What keeps a run from being judged."""


class UnjudgedError(ValueError):
    """States that a run left nothing that can be judged, or a file that cannot be read."""

"""The error of the scenario."""


class ScenarioError(Exception):
    """Raised when the scenario cannot be played; the message states what failed."""

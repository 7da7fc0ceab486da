"""The errors of the scenario.

ScenarioError
├── InputError      (ValueError)    an input cannot be played
└── RunningError    (RuntimeError)  a federation runs already, or did not start
"""


class ScenarioError(Exception):
    """Base of the scenario's errors.

    Attributes:
        status: Exit status of a command that ends with it.
    """

    status = 1


class InputError(ScenarioError, ValueError):
    """Raised when the input cannot be played."""

    status = 2


class RunningError(ScenarioError, RuntimeError):
    """Raised when a federation runs already in the background, or did not start there."""

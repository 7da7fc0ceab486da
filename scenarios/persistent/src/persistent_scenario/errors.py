"""The errors of the scenario.

ScenarioError
├── InputError      (ValueError)    an input cannot be run, or not be judged
└── RunningError    (RuntimeError)  a part did not come up, or the stream halted
"""


class ScenarioError(Exception):
    """Base of the scenario's errors.

    Attributes:
        status: Exit status of a command that ends with it.
    """

    status = 1


class InputError(ScenarioError, ValueError):
    """Raised when the input cannot be run or judged."""

    status = 2


class RunningError(ScenarioError, RuntimeError):
    """Raised when a part did not start, or the stream halted."""

"""The errors of the scenario.

ScenarioError
├── InputError      (ValueError)    what was given cannot be run, or not be judged
└── RunningError    (RuntimeError)  a part did not come up, or the stream halted
"""


class ScenarioError(Exception):
    """Is the base of the scenario's errors.

    Attributes:
        status: Exit status of a command that ends with it.
    """

    status = 1


class InputError(ScenarioError, ValueError):
    """States that what was given cannot be run, or not be judged."""

    status = 2


class RunningError(ScenarioError, RuntimeError):
    """States that a part did not come up, or that the stream halted."""

"""What ends the experiments without a verdict."""


class ExperimentError(RuntimeError):
    """Raised when an experiment could not be made; the message states which and why."""

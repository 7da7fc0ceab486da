"""The judgement of a run, from its joined logs to each promise."""

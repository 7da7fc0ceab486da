"""Exit statuses of a scenario: its verdict, or why there is none."""

PASSED, FAILED, BAD_INPUT = 0, 1, 2
"""The verdict; or an input is not valid, so that nothing can be judged."""

INTERRUPTED = 130
"""A signal ended the run; nothing was judged."""

"""Supervision of the parts of a run by `fes run`, one module for each concern."""

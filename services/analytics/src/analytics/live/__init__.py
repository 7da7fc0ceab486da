"""The judge at work on a run that goes on: `fes-analytics serve`."""

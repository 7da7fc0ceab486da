"""Reading the logs of a run that goes on, in segments."""

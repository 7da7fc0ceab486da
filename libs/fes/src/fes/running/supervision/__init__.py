"""What `fes run` does with the parts of a run, each concern in a module of its own."""

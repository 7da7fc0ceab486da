"""The command line, `fes`."""

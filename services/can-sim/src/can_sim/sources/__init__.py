"""Where a fleet's movements come from: one module for each format, all giving a `Trace`."""

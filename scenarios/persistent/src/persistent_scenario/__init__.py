"""The persistent scenario: kills the parts of a chain while a stream passes, and judges it."""

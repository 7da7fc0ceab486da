"""The promises: one module each, which finds what breaks it."""

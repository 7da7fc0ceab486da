"""The gateway service: the input and output around the sans-IO core."""

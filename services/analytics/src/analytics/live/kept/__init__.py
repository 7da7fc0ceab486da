"""What the live judge keeps from one batch to the next."""

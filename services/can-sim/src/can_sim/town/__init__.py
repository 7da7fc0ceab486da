"""A made-up town and its drivers, for runs without a recorded trace."""

"""Other gateways: which are there, and how their request tables become equal."""

"""`fes run`: starts brokers, gateways and applications, watches them and ends them."""

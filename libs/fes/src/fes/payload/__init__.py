"""Payloads of systems that know nothing of the federation, and what stands beside them."""

"""Payloads of systems that know nothing of the federation, and what is beside them."""

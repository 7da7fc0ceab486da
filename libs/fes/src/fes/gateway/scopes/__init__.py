"""Scopes in the gateway: what requests and events they confine, and who manages them."""

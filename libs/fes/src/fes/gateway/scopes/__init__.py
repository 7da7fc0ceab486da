"""Scopes in the gateway: how they confine requests and events, and which gateway manages them."""

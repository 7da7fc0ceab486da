"""Payloads that are laid out in bits and octets."""

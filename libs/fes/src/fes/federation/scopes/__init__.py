"""Scopes in the federation file: their keys, and the graph that they describe."""

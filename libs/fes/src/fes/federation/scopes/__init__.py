"""Scopes in the federation file: what it may say, and the graph that it describes."""

"""Typed channels and domains: clients call operations of declared interfaces."""

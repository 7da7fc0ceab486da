"""Guidance: where the naming service knows of sources, and what the policy service permits."""

"""Replicas of one gateway: which live, which leads, and what each reads in the shared journal."""

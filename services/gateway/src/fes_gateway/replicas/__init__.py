"""Replicas of one gateway: who lives, who leads, and what each learns from the shared journal."""

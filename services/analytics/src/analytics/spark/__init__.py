"""Spark: its session, and data frames made of few rows."""

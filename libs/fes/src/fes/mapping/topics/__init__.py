"""Subjects and topics: each name on one side has exactly one on the other."""

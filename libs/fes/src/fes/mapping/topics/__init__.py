"""Subjects and topics: each name of one side has one name on the other."""

"""The REST interface of analytics."""

"""The client API: sources and sinks, untyped and typed."""

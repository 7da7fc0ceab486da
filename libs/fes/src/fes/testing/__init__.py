"""For tests of a federation: an event service in memory, and suites that adapters inherit."""

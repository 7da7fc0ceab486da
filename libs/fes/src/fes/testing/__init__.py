"""What tests of a federation need: an event service in memory, and suites that adapters inherit."""

"""Rules of a mapping: read, checked and compiled."""

"""Named fields between native events and events of the federation."""

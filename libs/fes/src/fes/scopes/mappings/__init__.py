"""Event mappings of scopes: steps, formats, several into one, and how the file writes them."""

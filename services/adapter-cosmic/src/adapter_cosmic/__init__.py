"""The COSMIC adapter: maps COSMIC to the FES event model and back."""

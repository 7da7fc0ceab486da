"""The CNS adapter: maps CNS to the FES event model and back."""

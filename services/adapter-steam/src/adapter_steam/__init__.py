"""The STEAM adapter: maps STEAM to the FES event model and back."""

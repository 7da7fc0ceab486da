"""The text of the federation file: read, resolved, checked, written back."""

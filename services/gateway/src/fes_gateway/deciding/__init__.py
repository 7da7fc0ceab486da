"""What a gateway decides, and how that is recorded and performed."""

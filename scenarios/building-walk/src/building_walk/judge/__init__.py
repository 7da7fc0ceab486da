"""The judge: it knows the story and what native clients wrote, and no code that routes."""

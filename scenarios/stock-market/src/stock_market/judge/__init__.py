"""The judge: it knows the story and what native clients wrote down, and no code that routes."""

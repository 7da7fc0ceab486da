"""The language of filters: from text to a syntax tree, and back."""

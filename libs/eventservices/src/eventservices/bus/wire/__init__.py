"""What crosses a wire: messages of buses, calls of clients, subjects, tokens of users."""

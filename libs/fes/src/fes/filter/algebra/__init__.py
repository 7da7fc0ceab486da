"""What follows from filters: normal forms, covering, weakening."""

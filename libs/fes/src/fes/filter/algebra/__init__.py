"""Operations on filters: normal forms, covering, weakening."""

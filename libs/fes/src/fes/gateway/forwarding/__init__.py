"""Events in transit: their next hops, and what was already sent."""

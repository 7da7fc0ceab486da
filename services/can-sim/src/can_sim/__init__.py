"""A fleet of vehicles that publish their speed on CAN."""

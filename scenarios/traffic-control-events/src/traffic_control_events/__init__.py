"""The thesis's test application: control events that cross the air, from a vehicle to the city."""

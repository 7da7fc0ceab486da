"""What every service has around its work; knows of no event service and no federation."""

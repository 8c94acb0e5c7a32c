"""When should somebody look again, and where? Notifications of the system enter, paths to compare leave."""

"""How long is the way through the house? Every route is traced and counted: functions, files, rooms, depth, hops."""

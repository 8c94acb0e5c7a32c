"""The doors: each turns input into one call of the library and a record into bytes. They decide nothing."""

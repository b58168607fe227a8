"""The driver of Tools/bench: builds the generator and the floor, runs servers in turn, reports."""

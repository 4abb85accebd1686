"""The outside, one file per outside thing: each implements a port and turns the outside's faults into known errors."""

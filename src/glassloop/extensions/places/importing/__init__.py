"""Imports of places, visits and areas: files read and checked row by row, then put in place as one new data set."""

"""Watering of a greenhouse: probes, valves, hours and the daily report."""

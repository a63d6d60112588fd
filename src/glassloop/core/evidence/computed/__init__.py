"""Figures that an answer computed: arithmetic over figures with a source, over days, tables and counted rows."""

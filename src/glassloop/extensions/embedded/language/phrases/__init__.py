"""Readers of phrases in a question: names, numbers, money, periods, times, titles."""

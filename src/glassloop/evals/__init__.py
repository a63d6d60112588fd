"""Evaluations: suites of questions with what is expected, runs of them, and what the runs come to.

`suite` and `reading` own the format, `seen` and `scoring` the judgement, `running` the run, `results` its file,
`statistics`, `summary` and `comparison` the figures, `adding` the way from a stored turn to a case. A run asks through
the same runtime as anybody; nothing here decides for a model.
"""

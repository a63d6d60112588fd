"""Evaluations: suites of questions with expected results, runs of them, and the figures of a run.

`suite` and `suite_files` own the format, `observed_turn` and `score` the judgement, `suite_run` the run, `run_file` its
file, `statistics`, `summary` and `comparison` the figures, `turn_case` the way from a stored turn to a case. A run asks
through the same runtime as anybody; nothing here decides for a model.
"""

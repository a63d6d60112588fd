"""Tools: what a model can ask for, and how a call of it is run. Knows nothing of models, stores or the loop."""

"""The embedded model: llama.cpp in a process of its own, for machines without a key and without a network.

`model.EmbeddedModel` is the model, `options.EmbeddedOptions` how it is run; neither is imported here, so that naming
models stays light.
"""

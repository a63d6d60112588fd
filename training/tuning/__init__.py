"""Tuning: a Qwen2 model from a GGUF file in plain torch, LoRA on it, adapters as GGUF files. Needs no glassloop."""

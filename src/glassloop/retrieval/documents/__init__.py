"""Readers: the bytes of a document to chunks. Blocking and bounded; run in a thread or in a process of their own."""

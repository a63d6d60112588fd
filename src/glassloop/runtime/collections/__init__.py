"""Collections of documents that people make: who may read them, their files, and the questions that use them."""

"""Backend on the disk: SQLite for documents, tantivy for words."""

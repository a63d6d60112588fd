"""Parts that adapters of model providers share: HTTP client, replies, transcripts, schemas, failures."""

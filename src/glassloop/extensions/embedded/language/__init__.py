"""Words of a question and of tools, compared across languages. Only for shortlists."""

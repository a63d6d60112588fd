"""Rules that read a question: its values, and the tool it may mean. Only for advice and shortlists."""

"""The words of a question by rules: its values, and which tool it may mean. Only for advice and shortlists."""

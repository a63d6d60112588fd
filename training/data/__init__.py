"""Training data: invented companies, conversations over their tools, and their requests as the engine sends them."""

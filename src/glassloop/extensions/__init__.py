"""Extensions that come with Glassloop: an assistant with its tools and data in each folder."""

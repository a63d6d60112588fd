"""The sample company's own papers: policies, handbooks, runbooks and product sheets, in English and Chinese.

Every figure in them that the data has is read from the data, so that the two agree.
"""

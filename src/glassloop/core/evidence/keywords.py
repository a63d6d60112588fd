"""Keywords of programming languages: in backticks they name nothing that a source could hold."""

import keyword

KEYWORDS = frozenset(
    {*keyword.kwlist, *keyword.softkwlist, "self", "true", "false", "null", "nil", "undefined", "this", "new", "void"}
    | {"function", "const", "let", "var", "fn", "func", "struct", "enum", "interface", "public", "private", "static"}
    | {"switch", "throw", "catch", "extends", "implements", "default", "typeof", "do", "then", "end", "use", "mut"}
    | {"int", "float", "bool", "str", "string", "boolean", "number", "list", "dict", "set", "tuple", "bytes", "object"}
)

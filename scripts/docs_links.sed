# For Doxygen: the links of docs/operations.md to lines of the headers become links to the reference.
s,\[`\(fa_[a-z0-9_]*\)`\]([^)]*),@ref \1 "\1",

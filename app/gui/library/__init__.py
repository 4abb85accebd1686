"""The pages of the library: memories, rules, cases, namespaces, duplicates, and files in and out."""

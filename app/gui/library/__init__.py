"""Pages of the library: memories, rules, cases, intents, namespaces, import and export."""

"""Library services: memories, powers, rules, cases, namespaces; import, export and sync."""

"""What is taught: memories, powers, rules, cases and namespaces, edited, moved in and out, and kept in folders."""

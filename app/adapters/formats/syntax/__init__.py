"""Files before their lines mean anything: text, and the trees of JSON and YAML."""

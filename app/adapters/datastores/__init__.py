"""The data stores behind the router: one adapter a file, each imported only where it is used."""

"""The data stores behind the router: one adapter a file, imported only where it is used."""

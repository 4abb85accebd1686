"""Library as a folder of texts under version control; begin with library_folder.py."""

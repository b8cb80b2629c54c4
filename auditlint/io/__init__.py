"""Reading and writing what lies outside: files, images, facts files; detection of what a file is."""

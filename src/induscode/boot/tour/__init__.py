"""The guided tour: a small project and the script of a model, shipped with the program."""

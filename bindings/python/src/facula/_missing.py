"""What modules say of a name that they do not have."""


def missing(module):
    """The __getattr__() of a module: an error that names the list of what is missing."""
    def get(name):
        raise AttributeError(f'{module} has no {name}: docs/guide/python.md lists what is missing ("What is missing")')
    return get

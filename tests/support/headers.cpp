// Holds nothing: the target of the tests' precompiled headers needs a source.

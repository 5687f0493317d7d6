// CMake compiles cmake/precompiled.h with a target that has a source; the libraries take it over.

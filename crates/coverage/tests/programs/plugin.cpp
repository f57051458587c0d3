// A library that the program of the tests loads by dlopen.
extern "C" int plugin_call(int value) { return value * 11; }

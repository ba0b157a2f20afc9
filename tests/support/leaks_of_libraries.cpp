/// LeakSanitizer asks for this. HDF5 1.10 keeps some memory for ever when it meets a damaged file.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

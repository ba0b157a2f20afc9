#pragma once

#include <hdf5.h>

#include <utility>

#include "storage/hdf5_file.h"

// What the files of this folder that call HDF5 share. Other headers leave hdf5.h to them.

namespace meteor {

/// Throws StorageError with the call's name and the words of the library or, through it, of the operating system.
[[noreturn]] void fail_hdf5_call(const char* call);

/// Returns what an HDF5 call returned, unless that says that it failed. Every call passes through here.
template <class Outcome>
Outcome check_hdf5(Outcome outcome, const char* call) {
  if (outcome < 0) fail_hdf5_call(call);
  return outcome;
}

inline Hdf5Handle open_hdf5(hid_t id, Hdf5Handle::Close close, const char* call) {
  return {check_hdf5(id, call), close};
}

/// To be called before anything else of the library: it then prints nothing on its own, and does nothing when the
/// program ends. (It would touch files again that it could not close on a full disk, and crash.)
void start_hdf5();

/// How files are accessed: the newest format, whose structures carry checksums, and no locks. Files are never changed
/// in place, and some cluster file systems refuse locks.
Hdf5Handle hdf5_access();

/// Element types as they are stored and as they are in memory.
hid_t stored_type(ElementType type);
hid_t memory_type(ElementType type);
/// The type of fixed-length UTF-8 text; text of variable length would have no checksum.
Hdf5Handle text_type(std::size_t bytes);

}  // namespace meteor

/// Calls an HDF5 function that returns a status, a size or an id that is not to be closed.
#define METEOR_HDF5(function, ...) check_hdf5(function(__VA_ARGS__), #function)
/// Calls an HDF5 function that opens something.
#define METEOR_HDF5_OPEN(close, function, ...) open_hdf5(function(__VA_ARGS__), close, #function)

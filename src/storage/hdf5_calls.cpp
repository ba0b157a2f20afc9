#include "storage/hdf5_calls.h"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>

namespace meteor {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>);

/// Keeps the description of the innermost error, which tells most.
herr_t keep_first(unsigned position, const H5E_error2_t* error, void* words) {
  if (position == 0 && error->desc != nullptr) *static_cast<const char**>(words) = error->desc;
  return 0;
}

/// The operating system's words where the library quotes them amid times and addresses.
std::string_view plain(std::string_view words) {
  constexpr std::string_view quote = "error message = '";
  const std::size_t begin = words.find(quote);
  if (begin == std::string_view::npos) return words;
  words.remove_prefix(begin + quote.size());
  return words.substr(0, words.find('\''));
}

}  // namespace

void fail_hdf5_call(const char* call) {
  const char* words = "no reason given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, static_cast<void*>(&words));
  throw StorageError(fmt::format("{}: {}", call, plain(words)));
}

void start_hdf5() {
  H5dont_atexit();  // fails where it was called before
  METEOR_HDF5(H5Eset_auto2, H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Handle hdf5_access() {
  Hdf5Handle access = METEOR_HDF5_OPEN(H5Pclose, H5Pcreate, H5P_FILE_ACCESS);
  METEOR_HDF5(H5Pset_libver_bounds, access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  METEOR_HDF5(H5Pset_file_locking, access.id(), false, true);
  return access;
}

hid_t stored_type(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return H5T_STD_U8LE;
    case ElementType::u16:
      return H5T_STD_U16LE;
    case ElementType::u32:
      return H5T_STD_U32LE;
    case ElementType::u64:
      return H5T_STD_U64LE;
    case ElementType::f32:
      return H5T_IEEE_F32LE;
  }
  return H5I_INVALID_HID;
}

hid_t memory_type(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return H5T_NATIVE_UINT8;
    case ElementType::u16:
      return H5T_NATIVE_UINT16;
    case ElementType::u32:
      return H5T_NATIVE_UINT32;
    case ElementType::u64:
      return H5T_NATIVE_UINT64;
    case ElementType::f32:
      return H5T_NATIVE_FLOAT;
  }
  return H5I_INVALID_HID;
}

Hdf5Handle text_type(std::size_t bytes) {
  Hdf5Handle type = METEOR_HDF5_OPEN(H5Tclose, H5Tcopy, H5T_C_S1);
  METEOR_HDF5(H5Tset_size, type.id(), bytes > 0 ? bytes : 1);  // a size of 0 is not allowed
  METEOR_HDF5(H5Tset_strpad, type.id(), H5T_STR_NULLPAD);
  METEOR_HDF5(H5Tset_cset, type.id(), H5T_CSET_UTF8);
  return type;
}

}  // namespace meteor

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "storage/file_seal.h"
#include "storage/hdf5_calls.h"
#include "storage/hdf5_file.h"

namespace meteor {
namespace {

constexpr hsize_t kChunkBytes = hsize_t{1} << 20;

Hdf5Handle create_file(const std::filesystem::path& path) {
  start_hdf5();
  const Hdf5Handle access = hdf5_access();
  const Hdf5Handle creation = METEOR_HDF5_OPEN(H5Pclose, H5Pcreate, H5P_FILE_CREATE);
  METEOR_HDF5(H5Pset_userblock, creation.id(), kSealBytes);
  METEOR_HDF5(H5Pset_obj_track_times, creation.id(), false);  // equal models are equal files, whenever they are written
  return METEOR_HDF5_OPEN(H5Fclose, H5Fcreate, path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id());
}

/// The groups that a name with slashes stands in, as far as they are missing. Those that HDF5 creates by itself hold
/// the time.
void create_groups(const Hdf5Handle& file, const std::string& name) {
  const Hdf5Handle creation = METEOR_HDF5_OPEN(H5Pclose, H5Pcreate, H5P_GROUP_CREATE);
  METEOR_HDF5(H5Pset_obj_track_times, creation.id(), false);
  for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string group = name.substr(0, slash);
    if (H5Lexists(file.id(), group.c_str(), H5P_DEFAULT) > 0) continue;
    METEOR_HDF5_OPEN(H5Gclose, H5Gcreate2, file.id(), group.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT);
  }
}

/// Chunks of about a megabyte: whole rows, unless a row alone is longer.
std::vector<hsize_t> chunk_of(const Array& array) {
  std::vector<hsize_t> chunk(array.shape.begin(), array.shape.end());
  hsize_t room = kChunkBytes / element_bytes(array.type);
  for (std::size_t i = chunk.size(); i-- > 0;) {
    chunk[i] = std::clamp<hsize_t>(chunk[i], 1, std::max<hsize_t>(room, 1));
    room /= chunk[i];
  }
  return chunk;
}

void set_attribute(const Hdf5Handle& file, const std::string& name, hid_t stored, hid_t memory, const void* value) {
  const Hdf5Handle space = METEOR_HDF5_OPEN(H5Sclose, H5Screate, H5S_SCALAR);
  const Hdf5Handle attribute =
      METEOR_HDF5_OPEN(H5Aclose, H5Acreate2, file.id(), name.c_str(), stored, space.id(), H5P_DEFAULT, H5P_DEFAULT);
  METEOR_HDF5(H5Awrite, attribute.id(), memory, value);
}

/// From here on what is written to this descriptor goes into memory of its own, and is forgotten.
void divert(int descriptor) {
  const int memory = ::memfd_create("meteor", MFD_CLOEXEC);
  if (memory < 0) return;
  ::dup3(memory, descriptor, O_CLOEXEC);
  ::close(memory);
}

}  // namespace

Hdf5Output::Hdf5Output(const std::filesystem::path& path) : file_(create_file(path)) {}

void Hdf5Output::write(const Array& array) {
  const std::vector<hsize_t> extents(array.shape.begin(), array.shape.end());
  const auto rank = static_cast<int>(extents.size());
  const Hdf5Handle space = METEOR_HDF5_OPEN(H5Sclose, H5Screate_simple, rank, extents.data(), nullptr);

  const Hdf5Handle layout = METEOR_HDF5_OPEN(H5Pclose, H5Pcreate, H5P_DATASET_CREATE);
  METEOR_HDF5(H5Pset_chunk, layout.id(), rank, chunk_of(array).data());
  METEOR_HDF5(H5Pset_fletcher32, layout.id());
  METEOR_HDF5(H5Pset_obj_track_times, layout.id(), false);
  METEOR_HDF5(H5Pset_fill_time, layout.id(), H5D_FILL_TIME_NEVER);

  create_groups(file_, array.name);
  const Hdf5Handle dataset =
      METEOR_HDF5_OPEN(H5Dclose, H5Dcreate2, file_.id(), array.name.c_str(), stored_type(array.type), space.id(),
                       H5P_DEFAULT, layout.id(), H5P_DEFAULT);
  if (array.elements() == 0) return;
  or_divert([&] {
    METEOR_HDF5(H5Dwrite, dataset.id(), memory_type(array.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.data);
    METEOR_HDF5(H5Dflush, dataset.id());
  });
}

void Hdf5Output::set_text(const std::string& name, std::string_view text) {
  const Hdf5Handle type = text_type(text.size());
  const std::string padded(text);  // ends with the zero byte that an empty text needs
  set_attribute(file_, name, type.id(), type.id(), padded.c_str());
}

void Hdf5Output::set_number(const std::string& name, std::uint64_t number) {
  set_attribute(file_, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &number);
}

void Hdf5Output::close() {
  or_divert([&] { METEOR_HDF5(H5Fflush, file_.id(), H5F_SCOPE_GLOBAL); });
  check_hdf5(file_.close(), "H5Fclose");
}

void Hdf5Output::or_divert(const std::function<void()>& write) {
  try {
    write();
  } catch (const StorageError&) {
    void* handle = nullptr;
    if (H5Fget_vfd_handle(file_.id(), H5P_DEFAULT, &handle) >= 0) divert(*static_cast<const int*>(handle));
    throw;
  }
}

}  // namespace meteor

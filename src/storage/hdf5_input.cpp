#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "storage/hdf5_calls.h"
#include "storage/hdf5_file.h"

namespace meteor {
namespace {

constexpr int kDeepestGroup = 8;
constexpr std::size_t kMostDatasets = 10000;
constexpr std::size_t kLongestText = std::size_t{64} << 20;

Hdf5Handle open_file(const std::filesystem::path& path) {
  silence_hdf5();
  std::error_code reason;
  const auto status = std::filesystem::status(path, reason);
  if (!std::filesystem::exists(status)) throw StorageError(fmt::format("{} does not exist", path.string()));
  if (!std::filesystem::is_regular_file(status)) throw StorageError(fmt::format("{} is not a file", path.string()));
  errno = 0;
  if (!std::ifstream(path, std::ios::binary)) {
    throw StorageError(fmt::format("cannot read {}: {}", path.string(), std::generic_category().message(errno)));
  }
  const Hdf5Handle access = hdf5_access();
  // H5Fis_hdf5 would take no access list, and lock.
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id());
  if (id >= 0) return {id, H5Fclose};
  try {
    fail_hdf5_call("H5Fopen");
  } catch (const StorageError& fault) {
    throw StorageError(fmt::format("{} is not an HDF5 file, or is damaged ({}): restore it from a copy or train again",
                                   path.string(), fault.what()));
  }
}

ElementType element_type_of(const Hdf5Handle& type, const std::string& name) {
  using enum ElementType;
  for (const ElementType candidate : {u8, u16, u32, u64, f32}) {
    if (METEOR_HDF5(H5Tequal, type.id(), stored_type(candidate)) > 0) return candidate;
  }
  throw StorageError(fmt::format("dataset {} has an element type that is never written", name));
}

/// The extents, unless they hold more elements than the file can.
std::vector<std::uint64_t> shape_of(const Hdf5Handle& dataset, std::uint64_t most_elements, const std::string& name) {
  const Hdf5Handle space = METEOR_HDF5_OPEN(H5Sclose, H5Dget_space, dataset.id());
  const int rank = METEOR_HDF5(H5Sget_simple_extent_ndims, space.id());
  if (rank < 1 || rank > 2) throw StorageError(fmt::format("dataset {} has {} dimensions", name, rank));
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  METEOR_HDF5(H5Sget_simple_extent_dims, space.id(), extents.data(), nullptr);
  hsize_t elements = 1;
  for (const hsize_t extent : extents) {
    if (extent != 0 && elements > most_elements / extent) {
      throw StorageError(fmt::format("dataset {} claims to be larger than its file", name));
    }
    elements *= extent;
  }
  return {extents.begin(), extents.end()};
}

}  // namespace

Hdf5Input::Hdf5Input(const std::filesystem::path& path)
    : file_(open_file(path)), file_bytes_(std::filesystem::file_size(path)) {}

bool Hdf5Input::has_attribute(const std::string& name) const {
  return METEOR_HDF5(H5Aexists, file_.id(), name.c_str()) > 0;
}

std::string Hdf5Input::text(const std::string& name) const {
  const Hdf5Handle attribute = METEOR_HDF5_OPEN(H5Aclose, H5Aopen, file_.id(), name.c_str(), H5P_DEFAULT);
  const Hdf5Handle type = METEOR_HDF5_OPEN(H5Tclose, H5Aget_type, attribute.id());
  const Hdf5Handle space = METEOR_HDF5_OPEN(H5Sclose, H5Aget_space, attribute.id());
  const bool fixed = H5Tget_class(type.id()) == H5T_STRING && METEOR_HDF5(H5Tis_variable_str, type.id()) == 0;
  const std::size_t bytes = H5Tget_size(type.id());
  if (!fixed || bytes > kLongestText || METEOR_HDF5(H5Sget_simple_extent_npoints, space.id()) != 1) {
    throw StorageError(fmt::format("attribute {} is not a text of fixed length", name));
  }
  std::string text(bytes, '\0');
  METEOR_HDF5(H5Aread, attribute.id(), type.id(), text.data());
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

std::uint64_t Hdf5Input::number(const std::string& name) const {
  const Hdf5Handle attribute = METEOR_HDF5_OPEN(H5Aclose, H5Aopen, file_.id(), name.c_str(), H5P_DEFAULT);
  const Hdf5Handle type = METEOR_HDF5_OPEN(H5Tclose, H5Aget_type, attribute.id());
  const Hdf5Handle space = METEOR_HDF5_OPEN(H5Sclose, H5Aget_space, attribute.id());
  if (H5Tget_class(type.id()) != H5T_INTEGER || METEOR_HDF5(H5Sget_simple_extent_npoints, space.id()) != 1) {
    throw StorageError(fmt::format("attribute {} is not a whole number", name));
  }
  std::uint64_t number = 0;
  METEOR_HDF5(H5Aread, attribute.id(), H5T_NATIVE_UINT64, &number);
  return number;
}

std::vector<Array> Hdf5Input::read_all() const {
  std::vector<std::string> names;
  list("", names, 0);
  std::sort(names.begin(), names.end());
  std::vector<Array> arrays;
  std::uint64_t room = file_bytes_;
  for (const std::string& name : names) {
    arrays.push_back(read(name, room));
    room -= arrays.back().bytes();
  }
  return arrays;
}

void Hdf5Input::list(const std::string& group, std::vector<std::string>& datasets, int depth) const {
  if (depth > kDeepestGroup) throw StorageError(fmt::format("group {} is nested too deeply", group));
  const Hdf5Handle opened = METEOR_HDF5_OPEN(H5Gclose, H5Gopen2, file_.id(), ("/" + group).c_str(), H5P_DEFAULT);
  H5G_info_t info;
  METEOR_HDF5(H5Gget_info, opened.id(), &info);
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto name_at = [&](char* buffer, std::size_t bytes) {
      return static_cast<std::size_t>(
          METEOR_HDF5(H5Lget_name_by_idx, opened.id(), ".", H5_INDEX_NAME, H5_ITER_INC, i, buffer, bytes, H5P_DEFAULT));
    };
    std::string link(name_at(nullptr, 0), '\0');
    name_at(link.data(), link.size() + 1);
    H5L_info_t link_info;
    METEOR_HDF5(H5Lget_info, opened.id(), link.c_str(), &link_info, H5P_DEFAULT);
    const std::string name = group.empty() ? link : group + "/" + link;
    if (link_info.type != H5L_TYPE_HARD) throw StorageError(fmt::format("{} leads elsewhere", name));
    const Hdf5Handle object = METEOR_HDF5_OPEN(H5Oclose, H5Oopen, opened.id(), link.c_str(), H5P_DEFAULT);
    const H5I_type_t kind = H5Iget_type(object.id());
    if (kind == H5I_GROUP) list(name, datasets, depth + 1);
    if (kind == H5I_DATASET) datasets.push_back(name);
    if (datasets.size() > kMostDatasets) throw StorageError("there are too many datasets");
  }
}

Array Hdf5Input::read(const std::string& name, std::uint64_t most_bytes) const {
  const Hdf5Handle dataset = METEOR_HDF5_OPEN(H5Dclose, H5Dopen2, file_.id(), name.c_str(), H5P_DEFAULT);
  const Hdf5Handle layout = METEOR_HDF5_OPEN(H5Pclose, H5Dget_create_plist, dataset.id());
  if (METEOR_HDF5(H5Pget_layout, layout.id()) != H5D_CHUNKED) {
    throw StorageError(fmt::format("dataset {} is not stored in chunks", name));
  }
  Array array;
  array.name = name;
  array.type = element_type_of(METEOR_HDF5_OPEN(H5Tclose, H5Dget_type, dataset.id()), name);
  array.shape = shape_of(dataset, most_bytes / element_bytes(array.type), name);
  if (H5Dget_storage_size(dataset.id()) < array.bytes()) {
    throw StorageError(fmt::format("dataset {} is incomplete", name));
  }
  auto values = std::make_shared<std::vector<std::byte>>(array.bytes());
  array.data = values->data();
  array.owner = values;
  if (array.elements() == 0) return array;
  METEOR_HDF5(H5Dread, dataset.id(), memory_type(array.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values->data());
  return array;
}

}  // namespace meteor

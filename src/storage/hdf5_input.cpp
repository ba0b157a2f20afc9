#include <fmt/format.h>

#include <algorithm>

#include "storage/hdf5_calls.h"
#include "storage/hdf5_file.h"

namespace meteor {
namespace {

constexpr int kDeepestGroup = 8;
constexpr std::size_t kMostLinks = 1000;
constexpr std::size_t kLongestName = 1000;
constexpr std::size_t kLongestText = std::size_t{64} << 20;
constexpr hsize_t kLargestChunk = hsize_t{1} << 20;    // bytes
constexpr hsize_t kFewChunks = 1000;                   // of any size
constexpr hsize_t kSmallestOfMany = hsize_t{1} << 12;  // bytes of a chunk, on average, where there are more

Hdf5Handle open_file(const std::filesystem::path& path) {
  start_hdf5();
  const Hdf5Handle access = hdf5_access();
  // H5Fis_hdf5 would take no access list, and lock.
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id());
  if (id >= 0) return {id, H5Fclose};
  try {
    fail_hdf5_call("H5Fopen");
  } catch (const StorageError& fault) {
    throw StorageError(
        fmt::format("{} is damaged ({}): restore it from a copy or train again", path.string(), fault.what()));
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

/// Only what Hdf5Output writes: other filters could unpack to anything, and a chunk is read as a whole.
void require_plain_storage(const Hdf5Handle& dataset, const Array& array) {
  const auto refuse = [&](const char* how) { throw StorageError(fmt::format("dataset {} {}", array.name, how)); };
  const Hdf5Handle layout = METEOR_HDF5_OPEN(H5Pclose, H5Dget_create_plist, dataset.id());
  if (METEOR_HDF5(H5Pget_layout, layout.id()) != H5D_CHUNKED) refuse("is not stored in chunks");
  if (METEOR_HDF5(H5Pget_nfilters, layout.id()) != 1 ||
      METEOR_HDF5(H5Pget_filter2, layout.id(), 0U, nullptr, nullptr, nullptr, std::size_t{0}, nullptr, nullptr) !=
          H5Z_FILTER_FLETCHER32) {
    refuse("is not stored with a checksum and nothing else");
  }
  std::vector<hsize_t> chunk(array.shape.size());
  METEOR_HDF5(H5Pget_chunk, layout.id(), static_cast<int>(chunk.size()), chunk.data());
  hsize_t bytes = element_bytes(array.type);
  hsize_t chunks = 1;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    if (chunk[i] < 1 || chunk[i] > kLargestChunk / bytes) refuse("is stored in chunks that are too large");
    bytes *= chunk[i];
    chunks *= array.shape[i] / chunk[i] + 1;
  }
  if (chunks > kFewChunks + array.bytes() / kSmallestOfMany) refuse("is stored in too many chunks");
  // The index of an array that may grow can be as long as it ever was, or say so, and the library walks through it.
  std::vector<hsize_t> most(array.shape.size());
  const Hdf5Handle space = METEOR_HDF5_OPEN(H5Sclose, H5Dget_space, dataset.id());
  METEOR_HDF5(H5Sget_simple_extent_dims, space.id(), nullptr, most.data());
  if (!std::equal(most.begin(), most.end(), array.shape.begin())) refuse("may grow");
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
  if (!fixed || bytes > std::min<std::uint64_t>(kLongestText, file_bytes_) ||
      METEOR_HDF5(H5Sget_simple_extent_npoints, space.id()) != 1) {
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
  std::size_t links = 0;
  list("", names, 0, links);
  std::sort(names.begin(), names.end());
  std::vector<Array> arrays;
  std::uint64_t room = file_bytes_;
  for (const std::string& name : names) {
    arrays.push_back(read(name, room));
    room -= arrays.back().bytes();
  }
  return arrays;
}

void Hdf5Input::list(const std::string& group, std::vector<std::string>& datasets, int depth,
                     std::size_t& links) const {
  if (depth > kDeepestGroup) throw StorageError(fmt::format("group {} is nested too deeply", group));
  const Hdf5Handle opened = METEOR_HDF5_OPEN(H5Gclose, H5Gopen2, file_.id(), ("/" + group).c_str(), H5P_DEFAULT);
  H5G_info_t info;
  METEOR_HDF5(H5Gget_info, opened.id(), &info);
  if (info.nlinks > kMostLinks - links) throw StorageError("there are too many datasets and groups");
  links += info.nlinks;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto name_at = [&](char* buffer, std::size_t bytes) {
      return static_cast<std::size_t>(
          METEOR_HDF5(H5Lget_name_by_idx, opened.id(), ".", H5_INDEX_NAME, H5_ITER_INC, i, buffer, bytes, H5P_DEFAULT));
    };
    std::string link(name_at(nullptr, 0), '\0');
    if (link.size() > kLongestName) throw StorageError("the name of a dataset or group is too long");
    name_at(link.data(), link.size() + 1);
    H5L_info_t link_info;
    METEOR_HDF5(H5Lget_info, opened.id(), link.c_str(), &link_info, H5P_DEFAULT);
    const std::string name = group.empty() ? link : fmt::format("{}/{}", group, link);
    if (link_info.type != H5L_TYPE_HARD) throw StorageError(fmt::format("{} leads elsewhere", name));
    const Hdf5Handle object = METEOR_HDF5_OPEN(H5Oclose, H5Oopen, opened.id(), link.c_str(), H5P_DEFAULT);
    H5O_info_t object_info;
    METEOR_HDF5(H5Oget_info2, object.id(), &object_info, H5O_INFO_BASIC);
    // With a second way to it, a small file could be read without end.
    if (object_info.rc != 1) throw StorageError(fmt::format("{} has several names", name));
    if (object_info.type == H5O_TYPE_GROUP) {
      list(name, datasets, depth + 1, links);
    } else if (object_info.type == H5O_TYPE_DATASET) {
      datasets.push_back(name);
    } else {
      throw StorageError(fmt::format("{} is neither a dataset nor a group", name));
    }
  }
}

Array Hdf5Input::read(const std::string& name, std::uint64_t most_bytes) const {
  const Hdf5Handle dataset = METEOR_HDF5_OPEN(H5Dclose, H5Dopen2, file_.id(), name.c_str(), H5P_DEFAULT);
  Array array;
  array.name = name;
  array.type = element_type_of(METEOR_HDF5_OPEN(H5Tclose, H5Dget_type, dataset.id()), name);
  array.shape = shape_of(dataset, most_bytes / element_bytes(array.type), name);
  require_plain_storage(dataset, array);
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

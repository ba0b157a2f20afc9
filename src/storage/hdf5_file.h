#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/array.h"

namespace meteor {

/// Something that the HDF5 library opened, closed with its own function when this ends.
class Hdf5Handle {
 public:
  using Close = int (*)(std::int64_t);

  Hdf5Handle(std::int64_t id, Close closed_by) : id_(id), close_(closed_by) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  std::int64_t id() const { return id_; }
  /// Closes now, for a caller who must know whether it went well: what the library's function returns.
  int close() { return close_(std::exchange(id_, -1)); }

 private:
  std::int64_t id_;
  Close close_;
};

/// An HDF5 file that is being written. Everything in it carries a checksum, so that damage is noticed when it is read.
/// Throws StorageError when anything cannot be written.
class Hdf5Output {
 public:
  /// Replaces the file if it exists. Its first bytes are left for a seal.
  explicit Hdf5Output(const std::filesystem::path& path);

  /// Writes a dataset; the groups in its name, as in "units/count", are made when they are missing.
  void write(const Array& array);
  /// Attributes of the file as a whole.
  void set_text(const std::string& name, std::string_view text);
  void set_number(const std::string& name, std::uint64_t number);

  /// Hands everything to the operating system. Without it the file is incomplete.
  void close();

 private:
  /// Once something could not be written (the disk is full), the rest goes nowhere: the library cannot close a file
  /// that it cannot write, holds it for ever, and crashes when the program ends.
  void or_divert(const std::function<void()>& write);

  Hdf5Handle file_;
};

/// An HDF5 file that is read. Nothing about its content is trusted: what `Hdf5Output` does not write is refused, and
/// no more is read than the file's own size, through a bounded number of links and in chunks of a bounded size. The
/// library itself is trusted with the file's bytes. Throws StorageError.
class Hdf5Input {
 public:
  /// For a file whose seal fits.
  explicit Hdf5Input(const std::filesystem::path& path);

  bool has_attribute(const std::string& name) const;
  std::string text(const std::string& name) const;
  std::uint64_t number(const std::string& name) const;

  /// All datasets, in the order of their names' bytes. They keep their values.
  std::vector<Array> read_all() const;

 private:
  Array read(const std::string& name, std::uint64_t most_bytes) const;
  /// Adds the datasets of a group, which is so deep; so many links have been seen before.
  void list(const std::string& group, std::vector<std::string>& datasets, int depth, std::size_t& links) const;

  Hdf5Handle file_;
  std::uint64_t file_bytes_;
};

}  // namespace meteor

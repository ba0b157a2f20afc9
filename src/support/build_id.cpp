#include "support/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <bit>
#include <cstring>
#include <string_view>

namespace meteor {
namespace {

constexpr std::string_view kOwner{"GNU\0", 4};

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// Looks through the notes of one segment; each is a head, its owner's name and its content, padded to words.
std::string id_in(const char* note, const char* end) {
  while (static_cast<std::size_t>(end - note) > sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, note, sizeof head);
    const char* const owner = note + sizeof head;
    const char* const content = owner + padded(head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && std::string_view(owner, head.n_namesz) == kOwner) {
      std::string id;
      for (std::size_t i = 0; i < head.n_descsz; ++i)
        id += fmt::format("{:02x}", static_cast<unsigned char>(content[i]));
      return id;
    }
    note = content + padded(head.n_descsz);
  }
  return "";
}

/// The first object that the loader tells of is the program itself.
int read_program(dl_phdr_info* program, std::size_t /*size*/, void* id) {
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const auto& segment = program->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* const begin = std::bit_cast<const char*>(program->dlpi_addr + segment.p_vaddr);
    auto& found = *static_cast<std::string*>(id);
    if (found.empty()) found = id_in(begin, begin + segment.p_memsz);
  }
  return 1;
}

}  // namespace

const std::string& build_id() {
  static const std::string id = [] {
    std::string found;
    dl_iterate_phdr(read_program, &found);
    return found;
  }();
  return id;
}

}  // namespace meteor

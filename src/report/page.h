#pragma once

#include <span>
#include <string>
#include <string_view>

namespace meteor {

/// A part of a page under a heading of its own.
struct Section {
  std::string id;
  std::string title;
  std::string body;  ///< HTML
};

/// What stands above all sections.
struct PageHead {
  std::string title;
  std::string lead;    ///< a sentence or two
  std::string notice;  ///< HTML of what has to be seen first, if anything
};

/// One page that needs nothing else: no network, no other file.
std::string page(const PageHead& head, std::span<const Section> sections);

// What the page's looks and its sorting are made of.
std::string_view page_style();
std::string_view page_script();

}  // namespace meteor

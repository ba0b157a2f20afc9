#include "report/page.h"

#include <fmt/format.h>

#include "report/chart.h"
#include "report/markup.h"

namespace meteor {

std::string page(const PageHead& head, std::span<const Section> sections) {
  std::string links;
  std::string bodies;
  for (const Section& section : sections) {
    links += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, escape(section.title));
    bodies += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-h\">\n<h2 id=\"{0}-h\">{1}</h2>\n{2}</section>\n",
                          section.id, escape(section.title), section.body);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{0}</title>\n<style>\n{1}{2}</style>\n</head>\n<body>\n"
      "<header>\n<h1>{0}</h1>\n<p class=\"lead\">{3}</p>\n<nav "
      "aria-label=\"Sections\"><ul>{4}</ul></nav>\n</header>\n<main>\n{5}{6}</main>\n"
      "<script>\n{7}</script>\n</body>\n</html>\n",
      escape(head.title), chart_style(), page_style(), escape(head.lead), links, head.notice, bodies, page_script());
}

}  // namespace meteor

#pragma once

namespace CLI {
class App;
}

namespace meteor {

/// Adds `meteor generate`, which writes a synthetic stream. Its callback throws Error.
void add_generate_command(CLI::App& app);

}  // namespace meteor

// Files and the folders that gemmscope uses.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace base {

// The whole file, up to 256 MiB. Errors: Failure::usage with the system's reason; a folder is an error too. So is a device, or a
// pipe: whatever lies in a folder may be one, and would be waited for.
Result<std::string> read_file(const std::filesystem::path&);

// Likewise what the user named on the command line, where a pipe is meant: <(...), /dev/stdin.
Result<std::string> read_named(const std::filesystem::path&);

// Of what is there: that it is neither a device nor a pipe.
Status ends(const std::filesystem::path&);

// Replaces the file in one step (written beside it, then renamed), so that a reader, a crash or a power cut sees the old bytes
// or the new ones, never half. Keeps who may read it. Makes missing folders. Safe under several processes: the last rename
// wins. A link stays a link, and a device or a pipe is written to. What programs that were killed left in its folder goes.
// Survives::crash does not wait for the disk: after a power cut the file may be empty.
enum class Survives : uint8_t { crash, power_cut };
Status write_file(const std::filesystem::path&, std::string_view bytes, Survives = Survives::power_cut);

// What can be computed again: $GEMMSCOPE_CACHE, else $XDG_CACHE_HOME/gemmscope, else ~/.cache/gemmscope, else a folder
// of this user alone in the system's temporary folder. write_file creates all but the last. Where others could write into
// that one, nothing is found and nothing can be kept.
std::filesystem::path cache_folder();

// What must not be lost: $GEMMSCOPE_STATE, else $XDG_STATE_HOME/gemmscope, else ~/.local/state/gemmscope, else as above.
std::filesystem::path state_folder();

// What was fetched for this user, as by `gemmscope setup`: $GEMMSCOPE_DATA, else $XDG_DATA_HOME/gemmscope, else
// ~/.local/share/gemmscope, else as above.
std::filesystem::path data_folder();

// This program's own file; empty if the system does not say.
std::filesystem::path executable();

// The source tree that this program was built from; empty where it does not lie in its build folder any more.
std::filesystem::path source_folder();

// A folder that is installed with the program ("kernels", "assets", "shaders"): in ../share/gemmscope from the executable,
// beside it, in ../, else in the source tree.
Result<std::filesystem::path> resource_folder(std::string_view name);

} // namespace base

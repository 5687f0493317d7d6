// Compiled once for all folders that have no precompiled.h of their own: parsing these takes longer than most of our files do.
// Each file still includes what it uses; a build with CMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows where one does not.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ui/pictures.h"

namespace ui {

struct Pictures::Impl {};

Pictures::Pictures() : impl_(std::make_unique<Impl>()) {}
Pictures::~Pictures() = default;

} // namespace ui

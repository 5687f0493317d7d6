#include "ui/window/turns.h"

#include "base/cpu_time.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ui {

namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

} // namespace

void Turns::begin() {
    began_ = part_began_ = now_s();
    cpu_began_ = base::thread_cpu_s();
    now_.part_ms = {};
}

void Turns::did(TurnPart part) {
    const double now = now_s();
    now_.part_ms[static_cast<size_t>(part)] += (now - part_began_) * 1e3;
    part_began_ = now;
}

void Turns::end(const std::function<std::string()>& shown) {
    now_.ms = (now_s() - began_) * 1e3;
    const int power = now_.ms < 1 ? 0 : std::ilogb(now_.ms) + 1;
    ++histogram_[std::min(static_cast<size_t>(power), histogram_.size() - 1)];
    if (now_.ms < least_ms || (longest_.size() == most_kept && now_.ms <= longest_.back().ms)) return;
    now_.cpu_ms = (base::thread_cpu_s() - cpu_began_) * 1e3;
    now_.shown = shown();
    const auto shorter = [](const LongTurn& a, const LongTurn& b) { return a.ms > b.ms; };
    longest_.insert(std::upper_bound(longest_.begin(), longest_.end(), now_, shorter), now_);
    if (longest_.size() > most_kept) longest_.pop_back();
}

} // namespace ui

// A stop that comes by itself after some seconds, or earlier with another.
#pragma once

#include "base/sentence.h"

#include <functional>
#include <stop_token>
#include <thread>

namespace exercise {

class TimeLimit {
public:
    TimeLimit(double seconds, std::stop_token other);
    std::stop_token token() const { return source_.get_token(); }
    base::Sentence why() const; // it has stopped

private:
    double seconds_;
    std::stop_source source_;
    std::stop_token other_;
    std::stop_callback<std::function<void()>> follow_;
    std::jthread timer_; // last, so that it ends before what it uses
};

} // namespace exercise

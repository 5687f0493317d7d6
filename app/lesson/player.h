// Tells steps to a window: computes in the background what they say.
#pragma once

#include "catalog/catalog.h"
#include "lesson/told.h"

#include <functional>
#include <memory>

namespace lesson {

// All functions are called from one thread, the owner's; none waits but wait().
class Player {
public:
    struct Options {
        std::vector<std::filesystem::path> lessons; // folders and files
        std::filesystem::path assets;               // recorded speeds
        std::function<void()> wake;                 // called from another thread when something new is ready
        bool watch = false;                         // read the files again when they change: someone is writing them
    };
    explicit Player(Options);
    ~Player(); // cancels and joins

    const Lessons& lessons() const;
    uint64_t reads() const;                       // how often they were read: a new number means that they are others
    void add(const std::filesystem::path& place); // a file or folder that was dropped on the window: all are read again
    bool reading() const;                         // until then lessons() are those that were read before

    // The step, told for `subject`: that of its scene or, where the reader has wandered off, what is set now. nullptr: not yet; it is being
    // computed from now on, or another is and who shows it asks again in the next frame.
    std::shared_ptr<const Told> told(const std::shared_ptr<const Lesson>&, size_t step, const session::Subject& subject,
                                     const catalog::Catalog&);

    // True if something has come: a step was told, or the files have changed and lessons() are read anew.
    bool collect();
    bool busy() const;
    void wait();                     // until not busy
    size_t remembered_bytes() const; // of memory, by executions that were told of last

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace lesson

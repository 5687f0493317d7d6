// The real worker on an invented GPU, and launches whose image says how they behave: see
// fake_cuda/fake_cuda.cpp.
#pragma once

#include "gpu/client.h"

#include "../library_path.h"

#include <string>

namespace fake_gpu {

inline gpu::Worker::Options on_fake_gpu(const std::string& libraries = FAKE_CUDA) {
    gpu::Worker::Options options;
    options.command = before_other_libraries(libraries) + " CUDA_HOME= CUDA_PATH= '" GEMMSCOPE "' worker";
    return options;
}

// `behaviour` is the image: see fake_cuda.cpp.
inline gpu::Launch launch(const std::string& behaviour, int m = 33, int n = 17, int k = 9) {
    gpu::Launch launch;
    launch.kernel = behaviour;
    launch.parameters = {{"BM", 16}};
    for (char c : behaviour) launch.image.push_back(static_cast<std::byte>(c));
    launch.image.push_back(std::byte{0});
    launch.entry = "sgemm";
    launch.cuda = "13.0";
    launch.problem.m = m;
    launch.problem.n = n;
    launch.problem.k = k;
    return launch;
}

// The answer to a request; progress on the way is counted.
inline gpu::Event answer(gpu::Worker& worker, const gpu::Request& request, int* progress = nullptr) {
    auto sent = worker.send(request);
    if (!sent) return sent.error();
    while (auto event = worker.next(60)) {
        if (std::holds_alternative<measure::Progress>(*event) && progress) ++*progress;
        if (!std::holds_alternative<gpu::Hello>(*event) && !std::holds_alternative<measure::Progress>(*event))
            return *event;
    }
    return base::Error{base::Failure::missing, base::say("no answer"), {}, {}};
}

inline std::string said(const gpu::Event& event) {
    auto* error = std::get_if<base::Error>(&event);
    return error ? error->sentence() : "no error";
}

} // namespace fake_gpu

// The Result view, for tests with and without OpenGL.
#pragma once

#include "stage.h"

#include <cstring>

inline std::vector<float> floats_of(base::NumbersView numbers) {
    std::vector<float> values;
    for (size_t i = 0; i < numbers.size(); ++i) values.push_back(static_cast<float>(numbers[i]));
    return values;
}

class ResultStage : public Stage {
public:
    explicit ResultStage(catalog::Problem problem, const std::string& kernel = "double_buffer",
                         const std::filesystem::path& kernels = kernel_folder())
        : Stage(on_tab(view_of(kernel, problem)), {kernels}) {
        show(ui::draw_result);
    }

    // The middle of element (row, column) in the picture.
    ImVec2 place(int row, int column) {
        const ui::Mark picture = mark("result.picture");
        const ui::ResultShown& shown = result().look(session());
        return {picture.x + picture.width * (static_cast<float>(column) + 0.5f) / static_cast<float>(shown.n),
                picture.y + picture.height * (static_cast<float>(row) + 0.5f) / static_cast<float>(shown.m)};
    }
    // C as the engine left it.
    std::vector<float> engine_c() {
        const sim::Memory& memory = session().products().grid.value->memory;
        std::vector<float> values;
        for (const trace::Buffer& buffer : memory.buffers()) {
            if (buffer.name != "C") continue;
            values.resize(buffer.bytes / sizeof(float));
            std::memcpy(values.data(), memory.bytes(buffer.address).data(), buffer.bytes);
        }
        return values;
    }

private:
    static session::View on_tab(session::View view) {
        view.middle_tab = session::MiddleTab::result;
        return view;
    }
};

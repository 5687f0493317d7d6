// The pictures of the plot panel, and what they share.
#pragma once

#include "ui/draw/draw.h"
#include "ui/draw/text_table.h"
#include "ui/speed/predicted.h"
#include "ui/speed/speed.h"
#include "ui/views.h"
#include "views/axis.h"
#include "views/plot_data.h"
#include "views/speed_words.h"

#include <string>
#include <vector>

namespace ui {

// Of the current kernel with its present parameters, over the size.
struct PredictedCurve {
    std::string device;
    struct Point {
        catalog::Problem size; // a cube
        PredictedAnswer answer;
    };
    std::vector<Point> points; // ascending; nothing of those that are not predicted yet
};

struct PlotChoice {
    std::vector<SeriesGroup> groups;      // those that are shown
    SeriesGroup rungs;                    // of the ladder and the roofline: groups.front(), completed()
    std::optional<catalog::Problem> size; // of those, of `rungs`
    catalog::Operation operation = catalog::Operation::product; // of all that is shown: the current kernel's
    catalog::OperandType operands = catalog::OperandType::f32;  // likewise
    std::vector<std::shared_ptr<const catalog::Kernel>>
        kernels{};                             // side by side: compared_kernels(), or on a page the ladder
    std::optional<PredictedCurve> predicted{}; // where it is shown
};

void draw_sizes(Context&, const Rect& area, const PlotChoice&);
void draw_ladder_bars(Context&, const Rect& area, const PlotChoice&);
// What each value of a parameter makes of the current kernel, at PlotChoice::size.
void draw_parameter(Context&, const Rect& area, const PlotChoice&);
// That of the map of speeds where it is drawn; else the one nearest to the view's `speed_problem` at which there is such an effect to see;
// where there is none, that size itself.
catalog::Problem parameter_size(const Context&, const SeriesGroup&);
void draw_speed_map(Context&, const Rect& area, const SpeedNow&, const MapAxes&);
void draw_roofline(Context&, const Rect& area, const PlotChoice&);
// How the errors of kernels grow with the size, as the session's ErrorGrowth knows them.
void draw_errors(Context&);
// This machine's GPU, or, without one, the first that was recorded.
void draw_device(Context&, const Rect& area, const std::vector<SeriesGroup>&);

// The same as text: of each picture the things that it shows, a row each.
Table ladder_table(const Context&, const PlotChoice&);
Table roofline_table(Context&, const PlotChoice&);
Table parameter_table(const Context&, const PlotChoice&);
Table speed_map_table(const Context&, const SpeedNow&, const MapAxes&);
Table errors_table(const Context&);
Table device_table(const Context&, const std::vector<SeriesGroup>&);

// "recorded on NVIDIA H200"
std::string origin_on(const Context&, const SeriesGroup&);

// The kernel's title, "OpenBLAS FP32", or the publisher's name.
std::string series_title(const Context&, const measure::Series&);

// Words one after the other, in as many lines as they need; what does not fit into the area is left out.
class WordFlow {
public:
    WordFlow(Context& context, const Rect& area) : context_(context), area_(area), x_(area.x), y_(area.y) {}

    void say(const std::string& words); // dim
    // Something to choose, underlined where it is chosen. Marks `name`. True if it was clicked.
    bool choice(const std::string& name, const std::string& label, bool chosen, const std::string& hint = {});
    float bottom() const { return y_ + (x_ > area_.x ? height() : 0); }

private:
    float height() const { return context_.style.text->FontSize + context_.style.unit; }
    bool place(float width); // moves to the next line where the rest of this one is too narrow; false: there is none

    Context& context_;
    Rect area_;
    float x_, y_;
};

// A hollow circle: no figure that was measured.
void draw_predicted_marker(const Style&, ImVec2 at, float radius, ImU32 colour);

// Filled circle: live; square: recorded; diamond: published. The latter two hollow.
void draw_marker(const Style&, ImVec2 at, measure::Origin, float radius, ImU32 colour);

// What is left of `area` for the data beside tick labels, the axes' names and `right_margin` for the lines'
// names.
Rect data_area(const Context&, const Rect& area, float right_margin);
// Grid lines, tick labels and names of both axes; the name of x stands after its end if there is room before
// `right`.
void draw_axes(Context&, const Rect& data, const Axis& x, const Axis& y, std::string_view x_name,
               std::string_view y_name, float right);

// Names of lines beside their right ends, the more important first: moved apart where they would lie on each
// other, and the last ones left out where there is no room.
struct EndLabel {
    float y = 0; // of the line's end
    std::string words;
    ImU32 ink = 0;
    float x = 0; // of that end, from which a thin line leads to the words; 0: none
};
void draw_end_labels(Context&, const Rect& data, float right, std::vector<EndLabel>);

// "4096³: 51.4 TFLOPS, 98 % of cuBLAS" and where the figure comes from.
std::string figure_text(const Context&, const SeriesGroup&, const measure::Series&, const measure::Sample&);

} // namespace ui

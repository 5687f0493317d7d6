#include "ui/result/result_canvas.h"

#include <gtest/gtest.h>

namespace {

using ui::Canvas;
constexpr ui::Rect room{100, 50, 480, 360};

Canvas canvas(int m, int n, double zoom = 1, double pan_x = 0, double pan_y = 0) {
    return ui::result_canvas(room, m, n, zoom, pan_x, pan_y, 24, 128);
}

TEST(ResultCanvas, AllOfCFitsAtZoomOneInWholePixelsWhereThatCostsLittle) {
    const Canvas square = canvas(170, 170); // 360 / 170 = 2.1
    EXPECT_EQ(square.area.width, 340);
    EXPECT_EQ(square.area.height, 340);
    EXPECT_DOUBLE_EQ(square.per_row, 2);
    EXPECT_EQ(canvas(128, 128).area.height, room.height) << "2 instead of 2.8 would cost much";
    const Canvas large = canvas(1000, 1000);
    EXPECT_EQ(large.area.height, room.height);
    EXPECT_NEAR(large.per_row, 0.36, 1e-9);
    EXPECT_NEAR(large.row_at(large.area.bottom()), 1000, 1e-3);
}

TEST(ResultCanvas, ALineIsWidened) {
    const Canvas line = canvas(1, 900);
    EXPECT_GE(line.area.height, 24);
    EXPECT_EQ(line.area.width, room.width);
}

TEST(ResultCanvas, ZoomedInItTakesTheRoomAndStaysWithinC) {
    const Canvas corner = canvas(128, 128, 8, 1e6, -1e6); // far beyond the right end, and above the top
    EXPECT_EQ(corner.area.width, room.width);
    EXPECT_EQ(corner.area.height, room.height);
    EXPECT_NEAR(corner.column_at(corner.area.right()), 128, 1e-3);
    EXPECT_DOUBLE_EQ(corner.row, 0);
    EXPECT_LT(corner.pan_x, 64) << "what is beyond is not kept";
    EXPECT_GT(corner.pan_y, -64);
    const Canvas element = canvas(128, 128, 1e9);
    EXPECT_NEAR(element.per_column, 128, 1e-6) << "the largest element";
    EXPECT_DOUBLE_EQ(canvas(128, 128, 0.01).zoom, 1) << "no smaller than all of it";
}

TEST(ResultCanvas, PixelsAndElementsAgree) {
    const Canvas view = canvas(300, 200, 5, 20, -30);
    const ImVec2 at = view.at(131, 77);
    EXPECT_NEAR(view.row_at(at.y), 131, 1e-3);
    EXPECT_NEAR(view.column_at(at.x), 77, 1e-3);
    const ui::Rect box = view.rect({131, 77, 2, 3});
    EXPECT_NEAR(box.width, 3 * view.per_column, 1e-3);
    EXPECT_NEAR(box.height, 2 * view.per_row, 1e-3);
}

} // namespace

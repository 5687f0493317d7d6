#include "ui/map/map_layout.h"

#include <gtest/gtest.h>

namespace {

using ui::MapLayout;
using ui::Rect;

MapLayout layout(const Rect& area, ui::MapSize size, double zoom, double x = 0, double y = 0) {
    return ui::map_layout(area, size, {0, 0, 128, 128}, {8, 16}, zoom, x, y, 40, 16, 8);
}

void expect_inside(const Rect& inner, const Rect& outer) {
    EXPECT_GE(inner.x, outer.x - 0.5f);
    EXPECT_GE(inner.y, outer.y - 0.5f);
    EXPECT_LE(inner.right(), outer.right() + 0.5f);
    EXPECT_LE(inner.bottom(), outer.bottom() + 0.5f);
}

TEST(MapLayout, MatricesShareRowsAndColumnsAndStayInside) {
    for (const Rect area : {Rect{0, 0, 300, 150}, Rect{100, 50, 864, 380}, Rect{0, 0, 3840, 2160}})
        for (const double zoom : {1e-9, 0.1, 1.0, 7.0, 1e9}) {
            const MapLayout map = layout(area, {8192, 4096, 1000}, zoom, 900, -900);
            EXPECT_EQ(map.a.area.y, map.c.area.y);
            EXPECT_EQ(map.a.area.height, map.c.area.height);
            EXPECT_EQ(map.a.row, map.c.row);
            EXPECT_EQ(map.b.area.x, map.c.area.x);
            EXPECT_EQ(map.b.area.width, map.c.area.width);
            EXPECT_EQ(map.b.column, map.c.column);
            EXPECT_LE(map.a.area.right(), map.c.area.x);
            EXPECT_LE(map.b.area.bottom(), map.c.area.y);
            for (const ui::Plane* plane : {&map.a, &map.b, &map.c}) expect_inside(plane->area, area);
        }
}

TEST(MapLayout, FurthestOutShowsEverything) {
    const MapLayout map = layout({0, 0, 864, 380}, {8192, 8192, 8192}, 0);
    EXPECT_NEAR(map.c.area.width, 8192 * map.scale, 2);
    EXPECT_NEAR(map.c.area.height, 8192 * map.scale, 2);
    EXPECT_NEAR(map.a.area.width, 8192 * map.scale, 2);
    EXPECT_NEAR(map.b.area.height, 8192 * map.scale, 2);
    EXPECT_EQ(map.c.row, 0);
}

TEST(MapLayout, BlockIsWhollyInViewAtZoomOne) {
    const MapLayout map = layout({0, 0, 864, 380}, {256, 256, 256}, 1);
    EXPECT_EQ(map.c.row, 0);
    EXPECT_GE(map.c.area.height / map.scale, 128);
    EXPECT_GE(map.c.area.width / map.scale, 128);
}

TEST(MapLayout, CurrentSlabIsInViewWhereverItLies) {
    for (double k = 0; k < 4096; k += 8) {
        const MapLayout map =
            ui::map_layout({0, 0, 864, 380}, {256, 256, 4096}, {0, 0, 128, 128}, {k, k + 8}, 1, 0, 0, 40, 16, 8);
        EXPECT_LE(map.a.column, k);
        EXPECT_GE(map.a.column_at(map.a.area.right()), k + 8 - 1e-6);
        EXPECT_LE(map.b.row, k);
        EXPECT_GE(map.b.row_at(map.b.area.bottom()), k + 8 - 1e-6);
    }
}

TEST(MapLayout, PanStopsAtTheEdges) {
    const MapLayout far = layout({0, 0, 864, 380}, {256, 256, 256}, 4, 1e6, 1e6);
    EXPECT_NEAR(far.c.column_at(far.c.area.right()), 256, 1e-3);
    EXPECT_NEAR(far.c.row_at(far.c.area.bottom()), 256, 1e-3);
    const MapLayout again = layout({0, 0, 864, 380}, {256, 256, 256}, 4, far.pan_x, far.pan_y);
    EXPECT_NEAR(again.c.column, far.c.column, 1e-6); // what is written back means the same
    EXPECT_NEAR(again.c.row, far.c.row, 1e-6);
}

TEST(MapLayout, WithoutBItsRoomIsCs) {
    const MapLayout map = layout({0, 0, 864, 380}, {256, 256, 256, false}, 1);
    EXPECT_EQ(map.b.area.height, 0);
    EXPECT_EQ(map.c.area.y, 16 + 8) << "below the ruler and the gap";
    EXPECT_EQ(map.a.area.y, map.c.area.y);
    const MapLayout whole = layout({0, 0, 864, 380}, {8192, 8192, 8192, false}, 0);
    EXPECT_NEAR(whole.c.area.height, 8192 * whole.scale, 2);
    EXPECT_NEAR(whole.a.area.width, 8192 * whole.scale, 2);
}

} // namespace

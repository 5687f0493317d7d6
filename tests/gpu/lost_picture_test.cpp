// A kernel that fails, or does not end, in the process of the window: CUDA is left as it is, and everything else goes on. On an
// invented GPU (fake_cuda.cpp), which hangs as a driver does when something is freed under a kernel that runs; such a driver has to
// be there when a process starts, so each test is one of its own.
#include "../library_path.h"
#include "base/file.h"
#include "fake_gpu.h"
#include "gl_context.h"
#include "gpu/live/live_picture.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sys/wait.h>

namespace {

using gpu::LivePicture;

class LostPicture : public testing::Test {
protected:
    static bool on_fake_gpu() { return std::getenv("ON_FAKE_GPU") != nullptr; }

    // This test by itself, where the invented GPU is.
    static void expect_on_fake_gpu(const char* within) {
        const std::string command = before_other_libraries(FAKE_CUDA) +
                                    " ON_FAKE_GPU=1 CUDA_HOME= CUDA_PATH= timeout " + within + " '" +
                                    base::executable().string() + "' --gtest_filter='" +
                                    testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() + "." +
                                    testing::UnitTest::GetInstance()->current_test_info()->name() + "' >&2";
        const int status = std::system(command.c_str());
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    }

    void SetUp() override {
        if (!GlContext().ok()) GTEST_SKIP() << "no OpenGL 3.3 without a display on this machine";
    }

    static std::shared_ptr<const gpu::LiveRun> run(const std::string& behaviour) {
        gpu::Launch launch = fake_gpu::launch(behaviour);
        if (behaviour == "f64") launch.operands = catalog::OperandType::f64;
        gpu::LiveRun run = gpu::live_run(std::move(launch));
        run.time_limit_s = 0.2;
        return std::make_shared<const gpu::LiveRun>(std::move(run));
    }

    // What a start comes to.
    static std::string failure(LivePicture& live, const std::string& behaviour) {
        live.start(run(behaviour));
        for (int i = 0; i < 600'000 && live.busy(); ++i) {
            (void)live.update();
            ::usleep(1000);
        }
        return live.state().failed ? live.state().failed->sentence() : "";
    }
};

std::unique_ptr<LivePicture> made() {
    const auto shaders = base::resource_folder("shaders");
    auto live = LivePicture::create(shaders ? *shaders : "");
    EXPECT_TRUE(live) << live.error().sentence();
    return live ? std::move(*live) : nullptr;
}

void expect_picture_of_the_host(LivePicture& live) {
    ASSERT_TRUE(live.show(std::vector<float>{1, -1, 0.5f, 2}, 2, 2));
    EXPECT_NE(live.picture(4, 4, {}), 0u);
    EXPECT_EQ(live.values()[3], 2);
}

TEST_F(LostPicture, AfterAnIllegalAddressThisProcessHasNoGpu) {
    if (!on_fake_gpu()) return expect_on_fake_gpu("120");
    GlContext gl;
    auto live = made();
    ASSERT_TRUE(live);
    EXPECT_EQ(failure(*live, "right"), "");
    EXPECT_EQ(live->state().path, LivePicture::Path::host);
    EXPECT_NE(failure(*live, "illegal").find("the worker still measures"), std::string::npos);
    EXPECT_TRUE(live->state().lost);
    EXPECT_NE(failure(*live, "right").find("taken CUDA away from this process"), std::string::npos);
    expect_picture_of_the_host(*live);
    EXPECT_TRUE(live->state().lost);
}

TEST_F(LostPicture, AKernelThatDoesNotEndIsWaitedForByNobody) {
    if (!on_fake_gpu()) return expect_on_fake_gpu("120"); // fails after that: whatever is freed waits for ever
    GlContext gl;
    auto live = made();
    ASSERT_TRUE(live);
    EXPECT_EQ(failure(*live, "f64"), ""); // with C kept on the GPU
    EXPECT_NE(failure(*live, "endless").find("did not end within the time limit"), std::string::npos);
    EXPECT_NE(failure(*live, "right").find("still executes a kernel"), std::string::npos);
    expect_picture_of_the_host(*live);
    live.reset();
}

} // namespace

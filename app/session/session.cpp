#include "session/session.h"

namespace session {

struct Session::Impl {
    Options options;
    catalog::Catalog catalog;
    View view;
    Products products;
    std::vector<gpu::Series> series;
    GpuState gpu;
    std::vector<std::string> notices;
};

Session::Session(Options options) : impl_(std::make_unique<Impl>()) {
    impl_->notices = options.notices;
    impl_->catalog = catalog::load(options.kernel_folders);
    impl_->options = std::move(options);
}
Session::~Session() = default;

const catalog::Catalog& Session::catalog() const { return impl_->catalog; }
std::shared_ptr<const catalog::Kernel> Session::kernel() const { return impl_->catalog.find(impl_->view.subject.kernel); }
const View& Session::view() const { return impl_->view; }
const Products& Session::products() const { return impl_->products; }
const Products* Session::baseline() const { return nullptr; }
const std::vector<gpu::Series>& Session::series() const { return impl_->series; }
const GpuState& Session::gpu() const { return impl_->gpu; }
const std::vector<std::string>& Session::notices() const { return impl_->notices; }

void Session::apply(const View& next, const Commands&) {
    impl_->view = next;
    auto kernel = Session::kernel();
    if (kernel && impl_->view.subject.parameters.empty()) impl_->view.subject.parameters = catalog::initial_values(*kernel);
}
bool Session::update(double) { return false; }
bool Session::busy() const { return false; }
void Session::wait() {}

} // namespace session

// The one place that wires the stages together. Holds the newest view and products, runs stages as background jobs,
// drops results that a newer view has made stale.
#pragma once

#include "analysis/access_widths.h"
#include "measure/block_timeline.h"
#include "measure/profile.h"
#include "measure/progress.h"
#include "measure/series.h"
#include "session/compile_ahead.h"
#include "session/error_growth.h"
#include "session/launch_counts.h"
#include "session/machines.h"
#include "session/opcode_index.h"
#include "session/peaks.h"
#include "session/predicted_speeds.h"
#include "session/setting_facts.h"
#include "session/stages.h"
#include "session/stand_in.h"
#include "session/streams.h"
#include "session/sweeps.h"
#include "session/view.h"

#include <filesystem>
#include <memory>

namespace session {

struct TimedBlock; // timed_block.h
struct GpuResult;  // gpu_runs.h

// A product and the face its panel shows. `value` may be an older picture while a newer one is being computed.
template <class T>
struct Slot {
    enum class Face { empty, computing, ready, failed };
    Face face = Face::empty;
    std::shared_ptr<const T> value;
    std::optional<Failed> failed;
    float progress = 0; // 0..1 while computing, where known
};

struct Products {
    Slot<Prepared> prepared;
    Slot<BlockRun> block;
    Slot<TimedBlock>
        time; // of `block`, or while a newer one is timed of the one before; failed: no time is known, and why
    ExpectedError judged; // of the subject's predicted times, with what is asked that no GPU has
    Slot<FullRun> grid;
    Slot<compile::MachineCode> machine;
    std::shared_ptr<const trace::MachineListing>
        disassembly; // of `machine`; nullptr: none yet, or it cannot be decoded
    std::shared_ptr<const std::vector<analysis::AccessWidth>>
        widths;                   // of PTX and `disassembly`; nullptr until there are both
    Slot<sim::BlockState> state;  // at the selected event; computed only while its tab is shown
    Slot<sim::BlockState> marked; // at the marked event, likewise; empty while none is marked
    // The check on fewer rows and columns of C, by Commands::run_on_gpu where counting the whole grid takes long; else empty.
    Slot<StandIn> stand_in;
    // What counting the whole grid would take, where it is so long that it is done only on Commands::run_grid. Until then some
    // of its blocks are counted (FullRun::sample), or where that cannot be the grid's face is empty.
    std::optional<double> grid_estimate_s;
};

struct GpuState {
    enum class Face { unknown, absent, idle, running, failed };
    Face face = Face::unknown;
    std::string device;
    base::Sentence reason;    // why there is none, or what failed
    base::Sentence doing;     // while running: "512 x 512 x 512, 20 of 60 samples"
    catalog::Problem problem; // the same as data: what is measured, and how far it is
    std::optional<measure::Progress> progress;
    std::optional<DeviceRecord> here; // that runs are on, once known; its peaks after Commands::measure_peaks
};

// NVRTC and ptxas from PyPI, for whom a kernel cannot be compiled without.
struct FetchState {
    bool offered = false, running = false;
    uintmax_t fetched = 0, of = 0, unpacked = 0; // bytes
    std::optional<base::Error> failed;           // the last time
};

// Actions that are not edits of the view.
struct Commands {
    bool run_on_gpu = false; // the view's kernel at its size; where Session::shows_stream(), that product
    bool cancel = false;
    bool measure_peaks = false;        // of the GPU: GpuState::here
    std::vector<MachineWish> machines; // what is to be done with Session::machines()
    bool run_grid = false;             // although it takes long: Products::grid_estimate_s
    bool undo = false, redo = false;
    bool fetch_compiler = false; // FetchState
    bool stop_fetching = false;
    bool save_picture = false, copy_state = false;
    bool quit = false;
    std::optional<std::string> paste;        // the clipboard's text: a view as Ctrl+C copies it is shown
    std::vector<std::filesystem::path> open; // files dropped on the window: one is opened, of more none
    std::filesystem::path follow; // a kernel file that was just written here: it is shown, its parameters as they stand
    std::vector<catalog::Values> facts;      // settings of the view's kernel that a view compares: Session::facts()
    int multiprocessors = 0;                 // of the device that they are compared on
    std::vector<LaunchWish> counts;          // launches that are shown: Session::counts()
    std::vector<PredictionWish> predictions; // likewise: Session::predicted()
};

struct Options {
    std::vector<std::filesystem::path> kernel_folders; // and single files
    std::filesystem::path assets;                      // recorded and published series, and recorded sweeps
    std::filesystem::path own_sweeps;                  // those of this user; empty: none
    std::filesystem::path own_kernels;                 // folder of the kernels that were written here; empty: none
    std::filesystem::path state_file;                  // where the view is kept; empty: nowhere
    std::function<void(const View&)> on_keep;          // with each view before it can be in that file; may be empty
    std::function<void()> wake;                        // called from a job's thread when something new is ready
    std::function<size_t(const std::shared_ptr<const BlockRun>&)>
        on_block; // from the job that executed it, before it is a product: makes what is drawn of it, and says how
                  // many bytes that takes while the run lives; may be empty
    std::filesystem::path machines;      // list of remote GPUs; empty: none is kept
    std::string worker;                  // one of these by name, or a command; empty: the one chosen there
    int threads = 0;                     // for run_grid; 0: all cores
    bool interactive = false;            // someone will change things: get ready for likely changes while idle, and
                                         // read kernel files again when they change
    std::vector<base::Sentence> notices; // sentences to show at the start, such as Restored::notice
    bool keep_event = false;             // the first view's event is meant, even if it is 0; else 0 asks for
                                         // the interesting event
};

// The view kept in a state file. No file: the default view. A damaged one: the default view and a notice that names
// the wrong field; the old file is kept beside it as FILE.damaged.
struct Restored {
    View view;
    base::Sentence notice; // empty: all is well
};
Restored restore(const std::filesystem::path& state_file);

// All functions are called from one thread, the owner's. Work starts with the first apply().
class Session {
public:
    explicit Session(Options);
    ~Session(); // cancels and joins all jobs

    const catalog::Catalog& catalog() const;
    uint64_t catalog_reads() const; // how often its files were read: a new number means that it is another
    std::shared_ptr<const catalog::Kernel> kernel() const; // of the view's subject; nullptr if unknown
    const View& view() const;
    const Products& products() const; // of the view's subject
    const Products* baseline() const; // of the pinned subject; nullptr when none is pinned
    // To choose among: what the occupancy tables know and, as soon as something has been compiled, the compiler here too.
    const std::vector<std::string>& architectures() const;
    const std::vector<measure::Series>& series() const; // live, recorded and published
    uint64_t series_made() const;                       // how often: a new number means that they are others
    const std::vector<KernelSweep>& sweeps() const; // of the view's kernel; read in the background, empty until then
    const std::vector<KernelSweep>& baseline_sweeps() const; // likewise of the baseline's
    const std::vector<measure::Profile>& profiles() const;   // recorded
    // Of a setting of the view's kernel at the size of speeds, as Commands::facts asked for; nullptr: not computed yet.
    std::shared_ptr<const base::Result<SettingFacts>> facts(const catalog::Values&) const;
    const std::vector<DeviceRecord>& devices() const; // recorded
    // Of the view's subject the recording of its blocks: made here, else the one that comes with the program; nullptr: none.
    std::shared_ptr<const measure::BlockTimeline> timeline() const;
    const std::vector<std::shared_ptr<const measure::BlockTimeline>>&
    recorded_timelines() const; // all that come with the program
    // How the view's kernel takes its `stream_problem` through a GPU, or why it cannot; nullptr: the kernel
    // says nothing of that.
    std::shared_ptr<const base::Result<Stream>> stream() const;
    bool shows_stream() const; // the view does
    // Of a launch, as Commands::counts asked for; nullptr: not counted yet.
    std::shared_ptr<const base::Result<LaunchCounts>> counts(const Subject&) const;
    // Likewise, as Commands::predictions asked for; nullptr: not predicted yet.
    std::shared_ptr<const base::Result<PredictedSpeed>> predicted(const PredictionKey&) const;
    // Of what the errors' plot has shown; grows while it is shown.
    const ErrorGrowth& error_growth() const;
    const GpuState& gpu() const;
    const Machines& machines() const;
    std::shared_ptr<const GpuResult> gpu_result() const; // C of the newest run on another machine; nullptr: not there
    const FetchState& fetch() const;
    // Sentences to show once, those since the call before: a damaged state file, a broken kernel file.
    std::vector<base::Sentence> take_notices();

    // What View::search means, by what is known so far: nothing while it is empty.
    std::vector<Found> found() const;
    size_t opcodes_left() const; // kernels whose opcodes are still to be compiled for the search

    // Takes the edited view and the commands of a frame: starts what follows from the difference, keeps undo history.
    void apply(const View& next, const Commands&);
    // Collects finished jobs and advances playback by `seconds`. True if something to draw has changed. May change
    // view(): the selection is clamped to what a new picture has, and its event moved to the interesting one.
    bool update(double seconds);
    bool busy() const;               // something that is shown is being computed
    size_t remembered_bytes() const; // of memory, by products that are kept for going back to them
    bool compiling_ahead() const;    // something that may be shown next
    void wait();                     // until not busy(); for offscreen pictures and tests
    void rest();                     // nobody has asked for a while: gives up what only makes the next answer faster

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace session

#include "ptx/parser.h"

#include "base/memory.h"
#include "ptx/declarations.h"
#include "ptx/statements.h"

namespace ptx {
namespace {

constexpr size_t most_text = 256u << 20;

// module := { ".version" n | ".target" words | ".address_size" n | ".file" ... | ".section" ... | variable | function }
void parse_module(Parsing& p) {
    while (p.now().kind != TokenKind::end) {
        const Token start = p.now();
        if (start.is(".version")) {
            p.take();
            p.module.version = p.take().text;
        } else if (start.is(".target")) {
            p.take();
            p.module.target = p.take().text;
            while (p.accept(',')) p.take();
        } else if (start.is(".address_size")) {
            p.take();
            p.take();
        } else if (start.is(".file")) {
            parse_file(p);
        } else if (start.is(".loc")) {
            parse_location(p);
        } else if (start.is(".section")) {
            p.skip_section();
        } else if (!parse_definition(p)) {
            p.give_up(start, base::say("not a declaration that the engine knows"));
        }
        if (p.now().begin == start.begin) p.take(); // whatever happened, go on
    }
}

} // namespace

base::Result<Module> parse(std::string_view text) {
    if (text.size() > most_text)
        return base::Error{
            .what = base::say("the PTX is larger than 256 MB"), .where = {}, .todo = base::say("split the file")};
    constexpr size_t always_read = 16u << 20, each = 64; // bytes in memory, of a byte of the shortest statements
    if (text.size() > always_read)
        if (auto fits = base::fits_memory(static_cast<double>(each * text.size()), base::say("reading this much PTX"));
            !fits)
            return fits.error();
    Parsing p(text);
    parse_module(p);
    p.resolve_functions();
    if (p.module.version.empty())
        return base::Error{.what = base::say("no .version in the file, so it is not PTX"),
                           .where = {},
                           .todo = base::say("give PTX as nvcc -ptx or NVRTC writes it")};
    p.module.text = text;
    return std::move(p.module);
}

} // namespace ptx

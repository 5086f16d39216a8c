#include "runtime/attach/attach.h"

#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/attach/multi_link.h"
#include "runtime/attach/perf.h"
#include "runtime/bpf/map.h"
#include "runtime/bpf/program.h"
#include "runtime/os/file_state.h"
#include "runtime/os/mounts.h"

namespace lt {

namespace {

void close_every(std::vector<Descriptor>& descriptors, size_t first, size_t step) {
    for (size_t i = first; i < descriptors.size(); i += step) descriptors[i].reset();
}

// If the kernel refuses this many locations before it takes one, the locations are not the problem.
constexpr size_t most_skipped = 100;

bool is_skipped(const std::vector<Skipped>& skipped, uint64_t cookie) {
    return std::ranges::any_of(skipped, [&](const Skipped& s) { return s.cookie == cookie; });
}

void skip(const Attachment& place, const std::string& why, std::vector<Skipped>& skipped) {
    const auto* at = std::get_if<ProgramSite>(&place.site);
    skipped.push_back({place.cookie, fmt::format("{}: {}", at ? at->symbol : subject(place), why)});
}

// The kernel takes all locations of a link or none, and does not say which one it refuses.
Status link_halves(Hook& hook, std::span<const Attachment> places, std::vector<Skipped>& skipped) {
    auto link = link_many(hook.way, hook.program, places, hook.process);
    if (link) {
        hook.links.push_back(*std::move(link));
        return Done{};
    }
    if (places.size() == 1) {
        skip(places.front(), link.error().what, skipped);
        const bool hopeless = hook.links.empty() && skipped.size() > most_skipped;
        return hopeless ? Status(link.error()) : Status(Done{});
    }
    const size_t half = places.size() / 2;
    if (auto linked = link_halves(hook, places.first(half), skipped); !linked) return linked;
    return link_halves(hook, places.subspan(half), skipped);
}

Status link_places(Hook& hook, std::vector<Skipped>& skipped) {
    // The kernel looks the path up each time, but the places are those of one file.
    if (!hook.places.empty() && !hook.file.empty()) {
        const std::string& path = subject(hook.places.front());
        if (const auto now = file_state(path); now && now->content != hook.file)
            return Error{fmt::format("{} is another file now, in which functions have other places", path),
                         "start the trace again", 0};
    }
    std::erase_if(hook.places, [&](const Attachment& a) { return is_skipped(skipped, a.cookie); });
    if (!hook.places.empty())
        if (auto linked = link_halves(hook, hook.places, skipped); !linked) return linked;
    if (hook.links.empty() && !skipped.empty()) return Error{skipped.front().why, "", 0};
    return Done{};
}

Status link_one(Hook& hook) {
    if (hook.on_event || !hook.links.empty()) return Done{};  // since it was opened
    auto link =
        hook.event ? link_program(hook.event.get(), hook.program, hook.cookie) : way_attach(hook.way).link(hook);
    return keep_link(hook, std::move(link));
}

}  // namespace

Status keep_link(Hook& hook, Result<Descriptor> link) {
    if (!link) return link.error();
    hook.on_event = !*link;
    if (*link) hook.links.push_back(*std::move(link));
    return Done{};
}

Opened Attacher::open(const Rung& rung, std::vector<Skipped>& skipped) {
    std::vector<Hook> hooks;
    const std::span all(rung.attachments);
    for (bool returns : {true, false})
        for (size_t first = 0, count = 0; first < all.size(); first += count) {
            const auto same = [&](const Attachment& a) { return a.program == all[first].program; };
            const auto rest = all.subspan(first);
            count = static_cast<size_t>(std::ranges::find_if_not(rest, same) - rest.begin());
            if (all[first].at_return != returns) continue;
            auto opened = open_some(rung.way, rest.first(count), skipped);
            if (!opened) return opened;
            std::move(opened->begin(), opened->end(), std::back_inserter(hooks));
        }
    return hooks;
}

Opened Attacher::open_some(Way way, std::span<const Attachment> attachments, std::vector<Skipped>& skipped) {
    if (way_row(way).user)
        for (const Attachment& attachment : attachments) opening_.files.map(subject(attachment));
    if (way_row(way).many) return open_many(way, attachments);
    std::vector<Hook> hooks;
    for (const Attachment& attachment : attachments) {
        if (is_skipped(skipped, attachment.cookie)) continue;
        auto opened = open_one(way, attachment);
        if (!opened && attachments.size() == 1) return opened;
        if (!opened) {
            skipped.push_back({attachment.cookie, opened.error().what});
            if (skipped.size() > most_skipped && hooks.empty()) return opened;
            continue;
        }
        if (attachment.cookie != 0 && opening_.object.kernel_tells_places())
            for (Hook& hook : *opened) hook.cookie = attachment.cookie;
        std::move(opened->begin(), opened->end(), std::back_inserter(hooks));
    }
    if (hooks.empty() && !skipped.empty()) return Error{skipped.front().why, "", 0};
    return hooks;
}

// Opens one hook, or one for each file: a link covers a single file.
Opened Attacher::open_many(Way way, std::span<const Attachment> attachments) {
    std::vector<Hook> hooks;
    while (!attachments.empty()) {
        const std::string& file = subject(attachments.front());
        const auto other = std::ranges::find_if(
            attachments, [&](const Attachment& a) { return way_row(way).user && subject(a) != file; });
        const std::span<const Attachment> places(attachments.begin(), other);
        auto one = one_hook(Descriptor(), way, opening_.object.program(places.front().program));
        one->front().places.assign(places.begin(), places.end());
        if (way_row(way).user) one->front().file = file_state(file).value_or(FileState{}).content;
        if (opening_.target.bound) one->front().process = opening_.target.process;
        hooks.push_back(std::move(one->front()));
        attachments = attachments.subspan(places.size());
    }
    return hooks;
}

Opened Attacher::open_one(Way way, const Attachment& attachment) {
    if (way == Way::host) return std::vector<Hook>{};  // nothing to attach in the kernel
    const Result<int> program = opening_.object.program_at(attachment.program, attachment.cookie);
    if (!program) return program.error();
    return way_attach(way).open(opening_, attachment, *program);
}

Status link_hooks(std::vector<Hook>& hooks, std::vector<Skipped>& skipped) {
    Status last = Done{};
    std::set<const Hook*> failed;
    for (Hook& hook : hooks) {
        const bool is_single = hook.places.empty();
        auto linked = is_single ? link_one(hook) : link_places(hook, skipped);
        if (!linked && (is_single || hooks.size() == 1)) return linked;
        if (linked) continue;
        last = linked;
        failed.insert(&hook);
        std::set<uint64_t> known;
        for (const Skipped& each : skipped) known.insert(each.cookie);
        for (const Attachment& place : hook.places)
            if (known.insert(place.cookie).second) skip(place, linked.error().what, skipped);
    }
    std::erase_if(hooks, [&](const Hook& hook) { return failed.contains(&hook) && hook.links.empty(); });
    return hooks.empty() ? last : Done{};
}

Status enable_hooks(const std::vector<Hook>& hooks) {
    for (const Hook& hook : hooks)
        if (hook.event && !hook.at_exec)
            if (auto enabled = enable_event(hook.event.get()); !enabled) return enabled;
    return Done{};
}

void stop_hooks(std::span<Hook* const> hooks) {
    for (Hook* hook : hooks)
        if (hook->event) disable_event(hook->event.get());
    std::vector<Descriptor> holders;
    for (Hook* hook : hooks) {
        if (way_attach(hook->way).stops_when_disabled) continue;
        hook->pin.remove();
        std::ranges::move(hook->links, std::back_inserter(holders));
        if (hook->on_event) holders.push_back(std::move(hook->event));
        hook->links.clear();
    }
    close_all(std::move(holders));
}

Status restart_hooks(std::vector<Hook>& hooks, std::vector<Skipped>& skipped) {
    for (Hook& hook : hooks) {
        if (hook.on_event) return Error{"this kernel cannot attach it again (Linux 5.15)", "stop the trace", 0};
        if (hook.links.empty()) {
            auto linked = hook.places.empty() ? link_one(hook) : link_places(hook, skipped);
            if (!linked) return linked;
        }
        if (!hook.event) continue;
        if (auto enabled = enable_event(hook.event.get()); !enabled) return enabled;
    }
    return Done{};
}

void close_all(std::vector<Descriptor> descriptors) {
    constexpr size_t most_threads = 32;
    size_t count = std::min(descriptors.size(), most_threads);
    std::vector<std::jthread> threads;  // joined by the destructor
    try {
        for (size_t first = 1; first < count; first++)
            threads.emplace_back([&descriptors, first, count] { close_every(descriptors, first, count); });
    } catch (const std::system_error&) {
        // there may be no further thread
    }
    close_every(descriptors, 0, count);
    for (size_t first = threads.size() + 1; first < count; first++) close_every(descriptors, first, count);
}

namespace {

// The process keeps nothing else open: others wait for the end of standard output. Its end closes the rest.
void close_in_child(std::vector<Descriptor> descriptors) {
    if (descriptors.empty()) return;
    std::vector<unsigned> kept;
    for (const Descriptor& each : descriptors) kept.push_back(static_cast<unsigned>(each.get()));
    std::ranges::sort(kept);
    const pid_t closing = ::fork();
    if (closing < 0) return close_all(std::move(descriptors));
    if (closing > 0) return;
    unsigned next = 0;
    for (const unsigned each : kept) {
        if (next < each) ::syscall(SYS_close_range, next, each - 1, 0);
        next = each + 1;
    }
    ::syscall(SYS_close_range, next, ~0u, 0);
    ::_exit(0);
}

// A file system that is mounted nowhere has names for the links. When it goes, the kernel lets go of them in a worker.
void leave_links(std::vector<Descriptor>& links) {
    if (links.empty()) return;
    const Descriptor files = mount_nowhere("bpf");
    for (size_t i = 0; files && i < links.size(); i++)
        if (bpf::pin(links[i].get(), fmt::format("/proc/self/fd/{}/{}", files.get(), i).c_str()) == 0) links[i].reset();
}

// A map holds the events that are put into it. When it goes, the kernel lets go of them in a worker. It does not take
// an event that threads inherit.
void leave_events(std::vector<Descriptor>& events) {
    if (events.empty()) return;
    const auto count = static_cast<uint32_t>(events.size());
    const Descriptor map =
        bpf::create({BPF_MAP_TYPE_PERF_EVENT_ARRAY, "lt_closing", sizeof(uint32_t), sizeof(uint32_t), count});
    for (uint32_t i = 0; map && i < count; i++) {
        const int event = events[i].get();
        if (bpf::update(map.get(), &i, &event) == 0) events[i].reset();
    }
}

}  // namespace

void close_later(std::vector<Descriptor> links, std::vector<Descriptor> events, bool process_ends) {
    if (links.size() + events.size() <= most_closed_later) {
        leave_links(links);
        leave_events(events);
    }
    std::ranges::move(events, std::back_inserter(links));  // a link holds its event
    std::erase_if(links, [](const Descriptor& each) { return !each; });
    if (process_ends)
        close_in_child(std::move(links));
    else
        close_all(std::move(links));
}

}  // namespace lt

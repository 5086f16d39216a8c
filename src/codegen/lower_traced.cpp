// Which processes are traced: where the kernel does not see to it, each program asks first.
#include "lower.h"

namespace lt {
namespace {

constexpr uint32_t most_of_family = 65536;  // threads at once

// One of the two programs that keep the family's map.
void keep_family(Unit& unit, std::string name, const FamilyEvent& event, const std::function<void(Builder&)>& work) {
    ir::Function& f = unit.function(std::move(name));
    f.way = Way::tracepoint;
    Attachment a;
    a.program = f.name;
    a.function = event.category;
    a.event = event.name;
    a.number = event.id;
    unit.internal_probe(event.name).rungs = {{Way::tracepoint, "", {a}}};
    Builder b(f);
    work(b);
}

// Does the kernel run programs there for all processes, whoever is current?
bool sees_all(Place place, TracedBy by) {
    switch (place) {
        case Place::nothing:
        case Place::period:
        case Place::signal:
        case Place::kernel_objects:
            return false;
        case Place::socket_event:  // refused where resolve finds who is traced
            return false;
        case Place::event:
        case Place::raw_event:
        case Place::kernel_function:
        case Place::system_call:
            return true;
        // These can be bound to one process, but to no more.
        case Place::binary_function:
        case Place::marker:
        case Place::clock:
        case Place::counter:
        case Place::address:
            return by != TracedBy::process;
    }
    return false;
}

}  // namespace

uint32_t Unit::family() {
    if (!family_) {
        family_ = static_cast<uint32_t>(out_.maps.size());
        out_.plan.family = "lt_family";
        out_.maps.push_back({out_.plan.family, ir::Storage::hash, 4, 4, most_of_family, false});
    }
    return *family_;
}

void family(Unit& unit) {
    if (unit.typed.traced.by != TracedBy::family) return;
    keep_family(unit, "family_fork", unit.typed.traced.fork, [&](Builder& b) {
        const ir::Value child = b.field(unit.typed.traced.fork.offset, 4, false);
        b.call(ir::Library::family_fork,
               {b.map(unit.family()), child, b.constant(unit.loss(LossKind::not_followed, 0))});
    });
    keep_family(unit, "family_free", unit.typed.traced.free, [&](Builder& b) {
        b.call(ir::Library::family_free, {b.map(unit.family()), b.field(unit.typed.traced.free.offset, 4, false)});
    });
}

ir::Value BodyLowering::is_traced() {
    const Traced& traced = unit_.typed.traced;
    switch (traced.by) {
        case TracedBy::all:
            break;
        case TracedBy::process: {
            const ir::Value pid = variable({Variable::pid, 0});
            return b_->alu(ir::Alu::eq, pid, b_->constant(traced.process));
        }
        case TracedBy::family:
            return b_->call(ir::Library::in_family, {b_->map(unit_.family())});
        case TracedBy::cgroup:
            return b_->call(ir::Library::in_cgroup,
                            {b_->constant(static_cast<int64_t>(traced.cgroup)), b_->constant(traced.level)});
    }
    return b_->constant(1);
}

// Of an iterator, while there is an object.
void BodyLowering::where_traced(const std::function<void()>& work) {
    const TracedBy by = unit_.typed.traced.by;
    if (by != TracedBy::all && sees_all(probe_row(body_.place.kind).place, by)) return b_->branch(is_traced(), work);
    if (!body_.place.object) return work();
    const Location object{b_->alu(ir::Alu::add, b_->context(), b_->constant(0)),
                          false,
                          false,
                          0,
                          body_.place.context,
                          {*body_.place.object}};
    b_->branch(b_->fetch(address(object), 8, false, false, unit_.loss(LossKind::failed_read, 0)), work);
}

}  // namespace lt

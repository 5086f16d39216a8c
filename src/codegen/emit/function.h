// Converts one IR function to one LLVM function.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/emit/module.h"

namespace lt::emitter {

// The function that is being emitted.
struct Code {
    Code(ModuleBuilder& module, const ir::Function& source_in);

    ModuleBuilder& m;
    const ir::Function& source;
    llvm::IRBuilder<> b;
    llvm::Function* function = nullptr;
    std::vector<llvm::Value*> values;      // by IR value
    std::vector<llvm::AllocaInst*> slots;  // by IR slot
    std::vector<const ir::Op*> makers;     // by IR value
    ir::Shared shared;
    bool calls_strings;            // string operations are called, not emitted inline
    llvm::Value* frame = nullptr;  // the buffers
    llvm::Value* words = nullptr;  // shared by loops
    llvm::Value* place = nullptr;

    // An open scope, and the function that it is in.
    struct OpenScope {
        uint32_t number;
        const ir::Op* loop;
        llvm::BasicBlock* after;
    };
    std::vector<OpenScope> scopes;
    // The inline loops of this function around the current position.
    struct OwnLoop {
        llvm::Value* turn;
        llvm::BasicBlock* after;
    };
    std::vector<OwnLoop> own_loops;
    const ir::Op* loop = nullptr;  // the loop whose body is being emitted; nullptr: the program itself
};

void build_function(Code& code);

void emit_block(Code& code, const ir::Block& block);
// The LLVM value of an operation; null if it has none.
llvm::Value* value_of(Code& code, const ir::Op& op);
// Ends the program, or the function of a loop's body.
void emit_leave(Code& code);

}  // namespace lt::emitter

// In place of the library's, which print by printf and a demangler what went wrong: 12 KB of code.
// Nothing reaches them but a fault of headwise, whose trap JavaScript reports.

// NOLINTBEGIN: the library's names
extern "C" {

[[noreturn]] void abort_message(const char* /*format*/, ...) { __builtin_trap(); }

void (*__cxa_terminate_handler)() = [] { __builtin_trap(); };
void (*__cxa_unexpected_handler)() = [] { __builtin_trap(); };
void (*__cxa_new_handler)() = nullptr;
}
// NOLINTEND

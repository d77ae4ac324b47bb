#pragma once

#include <cstddef>
#include <cstdint>

/// Files and state dicts for JavaScript, which keeps the tensors and asks about headers, names and
/// shapes.
namespace headwise::bindings {

/// An address in WebAssembly memory, as a number that JavaScript can add to.
using Address = std::uintptr_t;

// Questions. Each reads `size` bytes at `text`, which it may overwrite, and returns the address of
// its answer: a 32-bit integer that says how many bytes follow, and these. It is negative if they
// are an error, as its code, a space and its message. An answer lasts until the next question.
//
// A request is text: numbers and JSON strings with spaces between. A shape in it is its rank and
// its sizes.

/// The first bytes of a file: answers where the header ends as text if it is further on, else
/// nothing, and the header is valid.
Address read_safetensors_header(Address text, std::size_t size, double file_size);
Address read_npy_header(Address text, std::size_t size, double file_size);

/// A request (tensors, name and shape of each; twice the remarks, name and text of each): answers
/// with the header.
Address write_safetensors_header(Address text, std::size_t size, double);

/// A request (shape): answers with the header.
Address write_npy_header(Address text, std::size_t size, double);

/// A request (prefix, number of heads, whether there may be no layout; tensors, name and shape of
/// each): answers with the words that `Plan` in state-dict-layouts.ts reads.
Address plan_state_dict(Address text, std::size_t size, double);

/// A request (dtype or descr, 1 for Fortran order, shape): converts the numbers of that form.
void to_floats(Address text, std::size_t size, Address numbers, Address floats);

}  // namespace headwise::bindings

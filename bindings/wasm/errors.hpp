#pragma once

namespace headwise::bindings {

/// Gives JavaScript the error that is being handled: a call that threw it has changed nothing.
void report_failure() noexcept;

}  // namespace headwise::bindings

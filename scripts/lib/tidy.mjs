// clang-tidy, a process a file and as many at a time as there are cores.
import { availableParallelism } from 'node:os';
import { toolchain } from './toolchain.mjs';

/** Does `work` for each item, `limit` at a time, and fails with the first failure once the others have ended. */
export async function inTurn(items, limit, work) {
  const waiting = [...items];
  const failures = [];
  const worker = async () => {
    while (waiting.length > 0 && failures.length === 0) {
      await work(waiting.shift()).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length > 0) throw failures[0];
}

/** With the options that a build folder's compile commands have. */
export const tidy = (sh, build, files, extraOptions = []) =>
  inTurn(files, availableParallelism(), (file) =>
    sh(toolchain().clangTidy, [
      '--quiet',
      '-p',
      build,
      // Files that include sources are CMake's.
      '--checks=-bugprone-suspicious-include',
      // GCC's warnings, which clang need not know.
      ...['-Wno-unknown-warning-option', ...extraOptions].map((each) => `--extra-arg=${each}`),
      file,
    ]),
  );

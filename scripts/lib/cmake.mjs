// Configures, builds and tests one of CMakePresets.json's presets.
import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { freshness } from './freshness.mjs';

/** Where a link leads, as another set-up may have made it lead elsewhere. */
function realPath(path) {
  try {
    return path && realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Ninja notices by itself what has changed in sources and CMake files; what it cannot see are the
 * presets and the place of the tools.
 */
export async function cmakeBuild(sh, preset, { tools = [], variables = {} } = {}) {
  const configured = freshness({
    stamp: `build/${preset}/.configured`,
    inputs: ['CMakePresets.json', 'cmake/toolchains'],
    facts: { tools: tools.map(realPath), variables },
  });
  if (!configured.isFresh()) {
    configured.forget();
    const given = Object.entries(variables).map(([name, value]) => `-D${name}=${value}`);
    await sh('cmake', ['--preset', preset, '--fresh', ...given]);
    configured.remember();
  }
  await sh('cmake', ['--build', '--preset', preset]);
}

export const cmakeTest = (sh, preset, ...which) =>
  sh('ctest', ['--preset', preset, '--parallel', String(availableParallelism()), ...which]);

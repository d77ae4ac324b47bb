// Builds the native benchmarks, after setting up what they need.
import { cmakeBuild } from '../../scripts/lib/cmake.mjs';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { run } from '../../scripts/lib/process.mjs';

/** The path of a program that is built. */
export const nativeProgram = (name) => fromRoot('build/native-bench/benchmarks/native', name);

export async function buildNative() {
  console.log('Building the native benchmarks');
  let said = '';
  const sh = (command, args) => run(command, args, { write: (text) => (said += text) });
  try {
    await cmakeBuild(sh, 'native-bench', { tools: [fromRoot('.toolchain')] });
  } catch (error) {
    console.error(said.trimEnd());
    throw error;
  }
}

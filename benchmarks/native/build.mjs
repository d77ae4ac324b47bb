// Builds the native benchmarks.
import { run } from '../../scripts/lib/command.mjs';
import { fromRoot } from '../../scripts/lib/files.mjs';

/** The path of a program that is built. */
export const nativeProgram = (name) => fromRoot('build/native-bench/benchmarks/native', name);

export async function buildNative() {
  for (const args of [['--preset'], ['--build', '--preset']]) {
    const code = await run('cmake', [...args, 'native-bench']);
    if (code !== 0) throw new Error('the native benchmarks do not build');
  }
}

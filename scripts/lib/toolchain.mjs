// What set-up has found or made, for all that uses it: the only place that knows how set-up is laid out.
import { realpathSync, statSync } from 'node:fs';
import { findProgram, hasCurrentNode, hasWebKit, locateToolchain } from '../setup/locate.mjs';
import { root } from './files.mjs';

export { findProgram, hasCurrentNode, hasWebKit };

/** The tools' paths, null for what is not there. Looked up anew: a step before may have set them up. */
export const toolchain = () => locateToolchain(root);

/** Loaded before anything else, it switches relaxed SIMD on in a Node that hides it behind a flag. */
export const relaxedSimdPreload = 'scripts/setup/toolchain-files/relaxed-simd.cjs';

/** Which file a program really is: it changes with every other version of it. */
export function identityOf(program) {
  if (!program) return null;
  const file = realpathSync(program);
  const { size, mtimeMs } = statSync(file);
  return { file, size, mtimeMs };
}

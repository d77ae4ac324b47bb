// The tools that the set-up found or installed.
import { locateToolchain } from '../setup/locate.mjs';
import { root } from './files.mjs';

export { findProgram, hasCurrentNode, hasWebKit } from '../setup/locate.mjs';

/** Their paths, null for those that are missing. */
export const toolchain = () => locateToolchain(root);

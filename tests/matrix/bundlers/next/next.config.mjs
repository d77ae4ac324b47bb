import { dirname } from 'node:path';

/** A page of files, so that any server has it. What lies above the folder of all bundlers is no part of it. */
export default { output: 'export', turbopack: { root: dirname(import.meta.dirname) } };

import { fail, reasonOf, show } from './errors.js';
import { node } from './node.js';

/** What `init` takes as `wasm`. */
export const expectedWasm = 'a URL, a path, bytes or a WebAssembly.Module';

/**
 * The address that a text means: in a page relative to its base, in a worker to the worker's own address; in Node a path,
 * unless it has a scheme.
 */
export function addressOf(text: string): URL {
  try {
    // A drive's letter is no scheme.
    if (node !== undefined && !/^[a-z][a-z\d+.-]+:/i.test(text)) {
      return node.getBuiltinModule('node:url').pathToFileURL(text);
    }
    const isPage = typeof document !== 'undefined';
    return node === undefined
      ? new URL(text, isPage ? document.baseURI : location.href)
      : new URL(text);
  } catch (error) {
    return fail('load-failed', 'wasm', expectedWasm, `${show(text)}: ${reasonOf(error)}`);
  }
}

import { fail, reasonOf, show } from './errors.js';
import { node } from './node.js';

/** The values of `init`'s option `wasm`, for errors. */
export const expectedWasm = 'a URL, a path, bytes or a WebAssembly.Module';

/**
 * Resolves an address. On a page it is relative to the page's base, in a worker to the worker's own address. In Node it
 * is a path unless it has a scheme.
 */
export function addressOf(text: string): URL {
  try {
    // A drive letter is not a scheme.
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

import { fail, show } from './errors.js';

/** The address that a text means in a page, relative to its base, or in a worker, relative to the worker's own address. */
export function addressOf(text: string): URL {
  try {
    return new URL(text, typeof document === 'undefined' ? location.href : document.baseURI);
  } catch {
    return fail('load-failed', 'wasm', 'a URL, a path, bytes or a WebAssembly.Module', show(text));
  }
}

/**
 * headwise/inline: all of headwise with its WebAssembly inside the JavaScript, in one file, where no other can be fetched:
 * for extensions, notebooks, pages of one file, and bundlers that copy nothing. It has the build for every engine, which
 * computes on one thread.
 */
export * from './attention.js';
export * from './models.js';

/**
 * headwise/inline: everything in headwise in one file, with WebAssembly inside the JavaScript. For extensions,
 * notebooks, single-file pages and bundlers that copy no files. It contains the build for every engine, which computes
 * on one thread.
 */
export * from './attention.js';
export * from './models.js';

// The page in Indonesian: what texts.ts names.
export * from './align.js';
export * from './figure.js';
export * from './heads.js';
export * from './page.js';
export * from './prune.js';
export * from './questions.js';
export * from './toy.js';
export * from './train.js';
export * from './why.js';
export * from './words.js';

/**
 * headwise: multi-head attention for the web, head by head. It includes headwise/models; bundlers remove the parts that
 * you do not import.
 */
export * from './attention.js';
export * from './models.js';

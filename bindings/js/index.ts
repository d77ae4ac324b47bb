/**
 * headwise: multi-head attention for the web, head by head. What it has of headwise/models costs whoever does not import
 * it nothing, once bundled.
 */
export * from './attention.js';
export * from './models.js';

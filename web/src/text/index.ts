import { exports } from './export.js';
import { frame } from './frame.js';
import { controls, gates, heads, own, patterns, typed } from './heads.js';
import { layer } from './layer.js';
import { maps } from './maps.js';
import { page } from './page.js';
import { prune } from './prune.js';
import { toy } from './toy.js';
import { lab, train } from './train.js';

/** Every word of the page, a file an act. `*…*` is emphasis, and only paragraphs may use it. */
export const text = {
  ...page,
  ...maps,
  frame,
  toy,
  heads,
  controls,
  patterns,
  typed,
  own,
  gates,
  layer,
  exports,
  train,
  prune,
  lab,
} as const;

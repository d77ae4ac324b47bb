import { range } from 'd3-array';
import type { Tensor } from 'headwise';

import { element, newId } from '../dom.js';
import { text } from '../text/index.js';
import type { Cell } from './cell.js';
import { createHeadMap, type HeadMap } from './head-map.js';

export interface SampleRow {
  readonly root: HTMLElement;
  /** One a head. */
  readonly maps: readonly HeadMap[];
  draw(weights: Tensor, validLen: number): void;
}

interface Options {
  readonly sample: number;
  /** (batch, head, query, key) */
  readonly shape: readonly number[];
  readonly hatch: string;
  /** Stands in the heading, beside what it changes. */
  readonly control: HTMLElement | undefined;
  readonly register: (target: Element, cell: Cell) => void;
}

/** One sample of the batch: its heading, and the maps of all heads side by side. */
export function createSampleRow(options: Options): SampleRow {
  const { sample, shape, hatch, control, register } = options;
  const [, heads = 0, queries = 0, keys = 0] = shape;
  const maps = range(heads).map((head) =>
    createHeadMap({ sample, head, queries, keys, hatch, register }),
  );
  const id = newId('sample');
  const caption = element('span', { class: 'sample-lens' });
  return {
    root: element(
      'div',
      { class: 'sample', role: 'group', 'aria-labelledby': id },
      element(
        'div',
        { class: 'sample-bar' },
        element('h3', { id }, text.sample.name(sample + 1)),
        control ?? '',
        caption,
      ),
      element('div', { class: 'heads' }, ...maps.map(({ root }) => root)),
    ),
    maps,
    draw(weights, validLen) {
      caption.textContent = text.sample.validLen(validLen, keys);
      maps.forEach((map, head) => {
        map.draw((query, key) => ({
          weight: weights.at(sample, head, query, key),
          masked: key >= validLen,
        }));
      });
    },
  };
}

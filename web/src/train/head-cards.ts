import { group } from 'd3-array';

import { element } from '../dom.js';
import type { Piece } from '../export/compose.js';
import { sameHead, type Head } from '../lab/heads.js';
import { text } from '../text/index.js';
import { createHeadCard, type HeadCard } from './head-card.js';
import type { RunRecord } from './run-record.js';

export interface HeadCards {
  readonly root: HTMLElement;
  draw(record: RunRecord, chosen: Head | undefined): void;
  /** Map and lines of every head, a row a layer. */
  drawings(hatchId: string): Piece[][];
}

/** All heads of the model, a row a layer. */
export function createHeadCards(onChoose: (place: Head) => void): HeadCards {
  const root = element('div', {
    class: 'run-layers',
    role: 'group',
    'aria-label': text.train.maps,
  });
  let cards: readonly HeadCard[] = [];
  let drawn: RunRecord | undefined;

  const build = ({ places, start, options }: RunRecord): void => {
    const length = start.tokens.length;
    cards = places.map((place) =>
      createHeadCard(place, length, () => {
        onChoose(place);
      }),
    );
    root.replaceChildren(
      ...Array.from(layersOf(cards), ([layer, ofLayer]) =>
        element(
          'div',
          { class: 'run-layer' },
          element('h3', { class: 'run-layer-name' }, text.train.layer(layer + 1)),
          element(
            'div',
            { class: 'head-cards', 'data-heads': options.heads },
            ...ofLayer.map((card) => card.root),
          ),
        ),
      ),
    );
  };
  const isAlike = (a: RunRecord, b: RunRecord): boolean =>
    a.places.length === b.places.length &&
    a.options.heads === b.options.heads &&
    a.start.tokens.length === b.start.tokens.length;

  return {
    root,
    drawings: (hatchId) =>
      Array.from(layersOf(cards), ([, ofLayer]) => ofLayer.map((card) => card.drawing(hatchId))),
    draw(record, chosen) {
      if (drawn === undefined || !isAlike(drawn, record)) build(record);
      drawn = record;
      const { roles } = record;
      cards.forEach((card, i) => {
        card.draw(record, roles[i]);
        card.showChosen(chosen !== undefined && sameHead(card.place, chosen));
      });
    },
  };
}

const layersOf = (cards: readonly HeadCard[]): Map<number, HeadCard[]> =>
  group(cards, ({ place }) => place.layer);

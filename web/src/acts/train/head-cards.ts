import { group } from 'd3-array';

import { createLiveMap, mapSide } from '../../attention/live-map.js';
import { formatPercent } from '../../format/numbers.js';
import { element, setAttributes, setText, svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { type Piece, resolveStyles } from '../../ui/export/drawing.js';
import { type Head, sameHead } from '../../worker/heads.js';
import type { ScoreName } from '../../worker/training.js';
import { createScoreLines } from './curves.js';
import { type Moment, type RunRecord, scoreAt, scoresOf } from './run-record.js';
import { words } from './words.js';

export interface HeadCards {
  readonly root: HTMLElement;
  /** Where it `isQuick`, lines of a few heads at a time: all of them at every frame would cost frames. */
  draw(record: RunRecord, moment: Moment, chosen: Head | undefined, isQuick: boolean): void;
  /** Map and lines of every head, a row a layer. */
  drawings(hatchId: string): Piece[][];
}

/** All heads of the model, a row a layer. */
export function createHeadCards(onChoose: (place: Head) => void): HeadCards {
  const root = element('div', {
    class: 'run-layers',
    role: 'group',
    'aria-label': words.maps,
  });
  let cards: readonly HeadCard[] = [];
  let drawn: RunRecord | undefined;
  let turn = 0;

  const build = ({ places, start, options }: RunRecord): void => {
    const length = start.tokens.length;
    cards = places.map((place) =>
      createHeadCard(place, length, () => {
        onChoose(place);
      }),
    );
    setAttributes(root, { 'data-layers': options.layers, 'data-heads': options.heads });
    root.replaceChildren(
      ...Array.from(layersOf(cards), ([layer, ofLayer]) =>
        element(
          'div',
          { class: 'run-layer' },
          element('h3', { class: 'run-layer-name' }, words.layer(layer + 1)),
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
    draw(record, moment, chosen, isQuick) {
      const isOther = drawn !== record;
      if (drawn === undefined || !isAlike(drawn, record)) build(record);
      drawn = record;
      turn += 1;
      cards.forEach((card, i) => {
        card.drawMap(moment);
        if (isOther || !isQuick || (i + turn) % linesEvery === 0) {
          card.drawLines(record, moment, moment.roles[i]);
        }
        card.showChosen(chosen !== undefined && sameHead(card.place, chosen));
      });
    },
  };
}

const layersOf = (cards: readonly HeadCard[]): Map<number, HeadCard[]> =>
  group(cards, ({ place }) => place.layer);

/** Of a quick run, the lines of a head are drawn at one of so many frames. */
const linesEvery = 4;

export interface HeadCard {
  readonly root: HTMLButtonElement;
  readonly place: Head;
  drawMap(moment: Moment): void;
  /** Its lines, its role, and what a screen reader tells of them. */
  drawLines(record: RunRecord, moment: Moment, role: ScoreName | undefined): void;
  showChosen(isChosen: boolean): void;
  /** Its map and its lines, to be saved. */
  drawing(hatchId: string): Piece;
}

/** Between map and lines, when they are saved. */
const gap = 8;

/** One head while it learns: its map, its role, its lines. Pressing it chooses the head. */
export function createHeadCard(place: Head, length: number, onChoose: () => void): HeadCard {
  const map = createLiveMap(length, place.head);
  const lines = createScoreLines(place);
  const roleName = element('span');
  const roleShare = element('span', { class: 'head-share' });
  const root = element(
    'button',
    { type: 'button', class: 'head-card' },
    element('span', { class: 'head-card-name' }, words.head(place.head + 1)),
    ' ',
    element('span', { class: 'head-role' }, roleName, ' ', roleShare),
    map.root,
    element('span', { class: 'head-card-lines' }, lines.root),
  );
  withHeadColour(root, place.head);
  root.addEventListener('click', onChoose);
  return {
    root,
    place,
    drawMap({ weights }) {
      const area = length * length;
      map.draw(weights[place.layer].subarray(place.head * area, (place.head + 1) * area));
    },
    drawLines(record, moment, role) {
      const { task, heads } = record.options;
      lines.draw(record, moment);
      const short = role === undefined ? words.noRole : words.shortRole(role);
      const share =
        role === undefined ? '' : formatPercent(scoreAt(moment.measurement, heads, place, role));
      setText(roleName, short);
      setText(roleShare, share);
      const scores = scoresOf[task].map((name) => {
        const share = scoreAt(moment.measurement, heads, place, name);
        return `${words.score(name, task)} ${formatPercent(share)}`;
      });
      const label = words.card(
        { layer: place.layer + 1, head: place.head + 1 },
        short,
        share,
        scores.join(', '),
      );
      if (root.ariaLabel !== label) setAttributes(root, { 'data-role': role, 'aria-label': label });
    },
    drawing(hatchId) {
      const { drawing, height } = resolveStyles(lines.root);
      setAttributes(drawing, { y: mapSide + gap, width: mapSide });
      const size = { width: mapSide, height: mapSide + gap + height };
      return {
        drawing: svg(
          'svg',
          { viewBox: `0 0 ${size.width} ${size.height}`, ...size },
          map.drawing(hatchId),
          drawing,
        ),
        title: words.enlarged({ layer: place.layer + 1, head: place.head + 1 }),
        note: roleName.textContent,
      };
    },
    showChosen(isChosen) {
      root.setAttribute('aria-pressed', String(isChosen));
    },
  };
}

import { range } from 'd3-array';

import { formatShort } from '../../format/numbers.js';
import { element, setAttributes, svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { symbolOf } from '../../worker/tasks.js';
import type { Composition, Look } from './composition.js';
import type { RunRecord } from './run-record.js';
import { words } from './words.js';

/** In units of the drawing. */
const pitch = 48;
const box = 40;
const thickest = 6;

/** On a phone all that is not the width of a token is larger: letters and fingers are not smaller there. */
interface Geometry {
  readonly tokenTop: number;
  readonly boxHeight: number;
  /** From one line of letters to the next. */
  readonly line: number;
  readonly height: number;
  /** How far arcs go up and down, however far apart their ends. */
  readonly rise: number;
}
const wide: Geometry = { tokenTop: 58, boxHeight: 32, line: 20, height: 168, rise: 28 };
const narrow: Geometry = { tokenTop: 200, boxHeight: 76, line: 50, height: 540, rise: 130 };
const isNarrow = window.matchMedia('(max-width: 42rem)');

export interface CompositionFigure {
  readonly root: HTMLElement;
  readonly drawing: SVGSVGElement;
  /** `query` from 0. */
  draw(record: RunRecord, query: number, composition: Composition): void;
}

interface Events {
  /** The pointer or the focus is on a token, counted from 0, or on none. */
  readonly onLook: (query: number | undefined) => void;
  readonly onChoose: (query: number) => void;
}

/**
 * The shown sequence with two arcs: above the tokens from a query to the key that a head of a later layer attends to, and
 * below them from that key to what it attended to itself, in a layer before.
 */
export function createCompositionFigure(events: Events): CompositionFigure {
  const arcs = svg('g', { 'aria-hidden': 'true' });
  const strip = svg('g', { role: 'group', 'aria-label': words.composition });
  const drawing = svg('svg', { class: 'composition-drawing' }, arcs, strip);
  const sentence = element('p', { class: 'composition-sentence' });
  drawing.addEventListener('pointerleave', () => {
    events.onLook(undefined);
  });
  // Not in the tokens, whose names have them.
  const targets = svg('g', { 'aria-hidden': 'true' });
  drawing.prepend(targets);
  let tokens: readonly Token[] = [];
  let built: RunRecord | undefined;
  let geometry: Geometry | undefined;

  function build(record: RunRecord, next: Geometry): void {
    const { start, options } = record;
    const length = start.tokens.length;
    built = record;
    geometry = next;
    setAttributes(drawing, { viewBox: `0 0 ${length * pitch} ${next.height}` });
    const move = (from: number, key: string): boolean => {
      const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: length - 1 }[key];
      if (to === undefined) return false;
      tokens[Math.min(Math.max(to, 0), length - 1)].root.focus();
      return true;
    };
    tokens = range(length).map((position) =>
      createToken(position, next, events, move, symbolOf(options.task, start.tokens[position])),
    );
    strip.replaceChildren(...tokens.map(({ root }) => root));
    // No task asks for anything at the first token.
    const y = next.tokenTop + next.boxHeight + next.line / 2 + 2;
    targets.replaceChildren(
      svg('text', { class: 'composition-targets', x: 4, y }, words.target),
      ...range(length).map((position) =>
        svg(
          'text',
          { class: 'composition-target', x: middleOf(position), y },
          targetOf(record, position) ?? '',
        ),
      ),
    );
  }

  let drawn: Parameters<CompositionFigure['draw']> | undefined;
  // A phone that is turned.
  isNarrow.addEventListener('change', () => {
    if (drawn !== undefined) draw(...drawn);
  });

  function draw(record: RunRecord, query: number, composition: Composition): void {
    const { look, back } = composition;
    drawn = [record, query, composition];
    const now = isNarrow.matches ? narrow : wide;
    if (built !== record || geometry !== now) build(record, now);
    const symbolAt = (position: number): string =>
      symbolOf(record.options.task, record.start.tokens[position]);
    const told = ({ place, key, weight }: Look): Parameters<typeof words.oneLook>[2] => ({
      layer: place.layer + 1,
      head: place.head + 1,
      key: key + 1,
      symbol: symbolAt(key),
      weight: formatShort(weight),
    });
    const at = [query + 1, symbolAt(query), told(look)] as const;
    const said = back === undefined ? words.oneLook(...at) : words.twoLooks(...at, told(back));
    sentence.textContent = said;
    tokens.forEach((token, position) => {
      const isQuery = position === query;
      token.show({
        isQuery,
        isKey: position === look.key || position === back?.key,
        name: isQuery
          ? said
          : words.token(position + 1, symbolAt(position), targetOf(record, position)),
      });
      token.root.setAttribute('tabindex', isQuery ? '0' : '-1');
    });
    const { tokenTop, boxHeight, line } = now;
    const right = record.start.tokens.length * pitch;
    arcs.replaceChildren(
      ...arcOf(look, now, tokenTop - 4, -1, right),
      ...(back === undefined ? [] : arcOf(back, now, tokenTop + boxHeight + line + 6, 1, right)),
    );
  }

  return {
    root: element('figure', { class: 'composition' }, drawing, sentence),
    drawing,
    draw,
  };
}

/** What a token asks for, if anything. */
function targetOf({ start, options }: RunRecord, position: number): string | undefined {
  const target = start.targets[position];
  return target < 0 ? undefined : symbolOf(options.task, target);
}

const middleOf = (position: number): number => (position + 0.5) * pitch;

/** An arc between two tokens, an arrow at the key, and beside its top the head and the weight. */
function arcOf(
  { place, query, key, weight }: Look,
  { rise, line }: Geometry,
  y: number,
  sign: 1 | -1,
  width: number,
): SVGElement[] {
  const [from, to] = [middleOf(query), middleOf(key)];
  // A query that attends to itself: a loop as wide as its box.
  const [left, right] = from === to ? [to - 8, from + 8] : [to, from];
  const bend = sign * (4 / 3) * rise * Math.min(1, 0.5 + (query - key) / 12);
  const path = svg('path', {
    class: 'composition-arc',
    d: `M${right},${y}C${right},${y + bend} ${left},${y + bend} ${left},${y}`,
    'stroke-width': Math.max(1, thickest * weight),
    'data-weight': weight,
    'data-head': `${place.layer + 1}.${place.head + 1}`,
    'data-key': key + 1,
  });
  const arrow = svg('path', {
    class: 'composition-arrow',
    d: `M${left},${y - sign * 2}l-8,${sign * 13}h16z`,
  });
  const aside = 4 * line;
  const label = svg(
    'text',
    {
      class: 'composition-label',
      x: Math.min(Math.max((left + right) / 2, aside), width - aside),
      y: y + 0.75 * bend + sign * line * (sign < 0 ? 0.5 : 0.85),
    },
    words.arc(place.layer + 1, place.head + 1, formatShort(weight)),
  );
  return [withHeadColour(path, place.head), withHeadColour(arrow, place.head), label];
}

interface Token {
  readonly root: SVGGElement;
  show(now: { readonly isQuery: boolean; readonly isKey: boolean; readonly name: string }): void;
}

function createToken(
  position: number,
  { tokenTop, boxHeight, line }: Geometry,
  { onLook, onChoose }: Events,
  move: (from: number, key: string) => boolean,
  symbol: string,
): Token {
  const root = svg(
    'g',
    {
      class: 'composition-token',
      role: 'button',
      tabindex: -1,
      transform: `translate(${middleOf(position)} 0)`,
    },
    // More than the box itself can be hit.
    svg('rect', {
      class: 'composition-hit',
      x: -pitch / 2,
      y: tokenTop - 12,
      width: pitch,
      height: boxHeight + line + 20,
    }),
    svg('rect', {
      class: 'composition-box',
      x: -box / 2,
      y: tokenTop,
      width: box,
      height: boxHeight,
      rx: 5,
    }),
    svg('text', { class: 'composition-sign', y: tokenTop + boxHeight / 2 }, symbol),
  );
  root.addEventListener('pointerenter', ({ pointerType }) => {
    if (pointerType !== 'touch') onLook(position);
  });
  root.addEventListener('focus', () => {
    onLook(position);
  });
  root.addEventListener('blur', () => {
    onLook(undefined);
  });
  root.addEventListener('click', () => {
    onChoose(position);
  });
  root.addEventListener('keydown', (event) => {
    const isPress = event.key === 'Enter' || event.key === ' ';
    if (isPress) onChoose(position);
    else if (!move(position, event.key)) return;
    event.preventDefault();
  });
  let shown = '';
  return {
    root,
    show({ isQuery, isKey, name }) {
      const next = `${String(isQuery)} ${String(isKey)} ${name}`;
      if (next === shown) return;
      shown = next;
      setAttributes(root, {
        'aria-label': name,
        'aria-pressed': isQuery ? 'true' : 'false',
        'data-key': isKey,
      });
    },
  };
}

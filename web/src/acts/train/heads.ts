import { group } from 'd3-array';
import { scaleLinear } from 'd3-scale';

import { createHeadMap, type HeadMap } from '../../attention/head-map.js';
import { createLiveMap, mapSide } from '../../attention/live-map.js';
import { type Cell, listenToMaps, Selection } from '../../attention/map-selection.js';
import { hatchFill } from '../../attention/weight-legend.js';
import { words as mapWords } from '../../attention/words.js';
import { formatPercent, formatWeight } from '../../format/numbers.js';
import { drawLine, type Point } from '../../ui/chart.js';
import { element, setAttributes, setText, svg, withHeadColour } from '../../ui/dom.js';
import { type Piece, resolveStyles } from '../../ui/export/drawing.js';
import { type Head, sameHead } from '../../worker/heads.js';
import { type ScoreName, symbolOf } from '../../worker/training.js';
import { roleMarks, stepsShown } from './loss-curve.js';
import { enough, type Moment, type RunRecord, tooLittle } from './run.js';
import { attendedBy, shortNameOf, words } from './words.js';

/** Of a quick run, the lines of a head are drawn at one of so many frames: all of them would cost frames. */
const linesEvery = 4;

/** All heads of the model, a row a layer. */
export function createHeadCards(onChoose: (place: Head) => void) {
  const root = element('div.run-layers.stack', { role: 'group', 'aria-label': mapWords.map.heads });
  let cards: readonly HeadCard[] = [];
  let drawn: RunRecord | undefined;
  let turn = 0;
  const layers = () => Array.from(group(cards, ({ place }) => place.layer));

  const build = ({ places, length, options }: RunRecord): void => {
    cards = places.map((place) => createHeadCard(place, length, () => onChoose(place)));
    setAttributes(root, { 'data-layers': options.layers, 'data-heads': options.heads });
    root.style.setProperty('--heads', String(options.heads));
    root.replaceChildren(
      ...layers().map(([layer, ofLayer]) =>
        element(
          'div.run-layer',
          element('h3.run-layer-name', mapWords.map.layer(layer + 1)),
          element(
            'div.head-cards',
            { 'data-heads': options.heads },
            ...ofLayer.map((card) => card.root),
          ),
        ),
      ),
    );
  };
  const isAlike = (a: RunRecord, b: RunRecord): boolean =>
    a.places.length === b.places.length &&
    a.options.heads === b.options.heads &&
    a.length === b.length;

  return {
    root,
    /** Map and lines of every head, a row a layer. */
    drawings: (hatchId: string): Piece[][] =>
      layers().map(([, ofLayer]) => ofLayer.map((card) => card.drawing(hatchId))),
    draw(record: RunRecord, moment: Moment, chosen: Head | undefined, isQuick: boolean): void {
      const isOther = drawn !== record;
      if (drawn === undefined || !isAlike(drawn, record)) build(record);
      drawn = record;
      turn += 1;
      cards.forEach((card, i) => {
        card.drawMap(record.mapOf(moment, card.place));
        if (isOther || !isQuick || (i + turn) % linesEvery === 0) {
          card.drawLines(record, moment, moment.roles[i]);
        }
        card.showChosen(chosen !== undefined && sameHead(card.place, chosen));
      });
    },
  };
}

type HeadCard = ReturnType<typeof createHeadCard>;

/** Between map and lines, when they are saved. */
const gap = 8;

/** One head while it learns: its map, its role, its lines. Pressing it chooses the head. */
function createHeadCard(place: Head, length: number, onChoose: () => void) {
  const map = createLiveMap(length, place.head);
  const lines = svg('svg.score-lines', {
    viewBox: `0 0 ${size.width} ${size.height}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  const roleName = element('span');
  const roleShare = element('span.head-share');
  const root = element(
    'button.head-card.tile',
    element('span.head-card-name.head-title', mapWords.map.title(place.head + 1)),
    ' ',
    element('span.head-role.soft', roleName, ' ', roleShare),
    map.root,
    element('span.head-card-lines', lines),
  );
  withHeadColour(root, place.head);
  root.addEventListener('click', onChoose);
  return {
    root,
    place,
    drawMap: (weights: Float32Array): void => map.draw(weights),
    /** Its lines, its role, and their text for screen readers. */
    drawLines(record: RunRecord, moment: Moment, role: ScoreName | undefined): void {
      lines.replaceChildren(...drawScores(record, moment, place));
      const shareOf = (name: ScoreName): string =>
        formatPercent(record.scoreAt(moment.measurement, place, name));
      const short = role === undefined ? words.noRole : shortNameOf(role);
      const share = role === undefined ? '' : shareOf(role);
      setText(roleName, short);
      setText(roleShare, share);
      const scores = record.scores.map(
        (name) => `${attendedBy(name, record.options.task)} ${shareOf(name)}`,
      );
      const seen = share === '' ? short : `${short} ${share}`;
      const label = words.card(place, seen, scores.join(', '));
      if (root.ariaLabel !== label) setAttributes(root, { 'data-role': role, 'aria-label': label });
    },
    /** Its map and its lines, to be saved. */
    drawing(hatchId: string): Piece {
      const { drawing, height } = resolveStyles(lines);
      setAttributes(drawing, { y: mapSide + gap, width: mapSide });
      const size = { width: mapSide, height: mapSide + gap + height };
      return {
        drawing: svg(
          'svg',
          { viewBox: `0 0 ${size.width} ${size.height}`, ...size },
          map.drawing(hatchFill(hatchId)),
          drawing,
        ),
        title: words.enlarged(place),
        note: roleName.textContent,
      };
    },
    showChosen(isChosen: boolean): void {
      root.setAttribute('aria-pressed', String(isChosen));
    },
  };
}

/** Of the lines, in units of their drawing. */
const size = { width: 200, height: 60 } as const;
const inset = 3;

/**
 * What one head looks at, from the first step on: a small line for each thing it may look at, across those from which on
 * it has a role, and the one below which it has none.
 */
function drawScores(record: RunRecord, moment: Moment, place: Head): SVGElement[] {
  const x = scaleLinear([0, stepsShown(record.step)], [0, size.width]);
  const y = scaleLinear([0, 1], [size.height - inset, inset]);
  const across = (share: number, series: string): SVGElement =>
    svg('line', {
      ...{ class: 'line threshold', 'data-series': series, 'data-share': share },
      ...{ x2: size.width, y1: y(share), y2: y(share) },
    });
  const now = x(moment.step);
  return [
    svg('line.chart-base', { x2: size.width, y1: y(0), y2: y(0) }),
    ...record.scores
      .filter((name) => name !== 'firstToken')
      .map((name) => across(enough(name), name)),
    across(tooLittle, 'tooLittle'),
    ...roleMarks(record, x, 0, size.height, place),
    ...record.scores.map((name) => {
      const shares = record.measurements.map((measurement): Point => [
        measurement.step,
        record.scoreAt(measurement, place, name),
      ]);
      return drawLine(shares, x, y, { 'data-series': name }, size.width);
    }),
    ...(moment.isNow ? [] : [svg('line.line.moment-line', { x1: now, x2: now, y2: size.height })]),
  ];
}

/**
 * Draws one head of a run as a large map with tokens at its edges.
 *
 * @param hatch fill of masked cells
 * @param onQuery called with the row, from 0, that has the pointer or the focus
 */
export function createEnlargedHead(hatch: string, onQuery: (query: number | undefined) => void) {
  const readOut = element('p.read-out', words.enlargedHint);
  const stage = element('div.enlarged-map');
  let shown: { readonly record: RunRecord; readonly place: Head } | undefined;
  let weights: Float32Array = new Float32Array();
  let symbols: readonly string[] = [];
  let map: HeadMap | undefined;

  const weightOf = (query: number, key: number): number => weights[query * symbols.length + key];
  const sentenceOf = ({ query, key }: Cell): string => {
    const at = [query + 1, symbols[query], key + 1, symbols[key]] as const;
    return key > query ? words.later(...at) : words.cell(...at, formatWeight(weightOf(query, key)));
  };
  function show(): void {
    const { active } = selection;
    map?.ring(active, true);
    const hint = map === undefined ? words.enlargedHint : mapWords.hint;
    readOut.textContent = map === undefined || active === undefined ? hint : sentenceOf(active);
  }

  const selection = new Selection(() => {
    show();
    onQuery(selection.active?.query);
  });
  const register = listenToMaps({
    stage,
    selection,
    sizes: () => ({ queries: symbols.length, keys: symbols.length }),
    onPin: ({ query, key }) => map?.setTabStop(query, key),
  });

  function build({ start, options }: RunRecord, place: Head): void {
    symbols = Array.from(start.tokens, (token) => symbolOf(options.task, token));
    map = createHeadMap({
      ...{ head: place.head, hatch, register },
      title: words.enlarged(place),
      label: words.enlargedLabel(place),
      names: { queries: symbols, keys: symbols },
    });
    map.setTabStop(0, 0);
    stage.replaceChildren(map.root);
  }

  return {
    root: element('div.enlarged', stage, readOut),
    /** The map of one head, cell by cell; `undefined` for none. */
    draw(record: RunRecord, moment: Moment, place: Head | undefined): void {
      const before = shown;
      shown = place && { record, place };
      if (place === undefined) {
        map = undefined;
        stage.replaceChildren();
      } else {
        if (before?.record !== record || !sameHead(before.place, place)) build(record, place);
        weights = record.mapOf(moment, place);
        map?.draw((query, key) => ({ weight: weightOf(query, key), masked: key > query }));
      }
      show();
    },
  };
}

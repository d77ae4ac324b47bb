import { range } from 'd3-array';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { createSignedScale } from '../../attention/signed-scale.js';
import { createWeightLegend } from '../../attention/weight-legend.js';
import { boundChoice } from '../../ui/controls/choice.js';
import { createPanelEnd } from '../../ui/controls/panel-end.js';
import { createSeedField } from '../../ui/controls/seed-field.js';
import { element, newId } from '../../ui/dom.js';
import { createStage } from '../../ui/stage.js';
import type { PartCell } from './box.js';
import { spokenValue } from './close-up.js';
import { isMaskedCell } from './colours.js';
import { createNumbersPanel } from './numbers-panel.js';
import { type Pass, runPass } from './pass.js';
import { createRail } from './rail.js';
import { figureHeadCounts, type FigureState } from './state.js';
import { createStepText } from './step-text.js';
import { isMap, parts, stepOf } from './steps.js';
import { createStepsFigure } from './steps-figure.js';
import { words } from './words.js';

/** The figure of the chapter, and one step of it in words, code and numbers. */
export function createFigureContent(store: Store<FigureState>): HTMLElement[] {
  const rail = createRail(store);
  const legend = createWeightLegend(newId('figure-legend'));
  const readOut = element('p', { class: 'read-out' }, words.hint);
  const text = createStepText();
  const numbers = createNumbersPanel(store);
  let pass = runPass(store.state);
  let made = '';
  let looked: PartCell | undefined;
  const look = (cell: PartCell | undefined): void => {
    looked = cell;
    const weight = cell?.part === 'weights' ? valueAt(pass, cell, store.state.head) : undefined;
    legend.mark(weight);
    readOut.textContent =
      cell === undefined ? words.hint : sentenceOf(pass, cell, store.state.head);
  };
  const figure = createStepsFigure({
    onStep: (step) => {
      store.change({ step });
    },
    onHead: (head) => {
      store.change({ head: head + 1 });
    },
    onLook: look,
  });
  const seed = createSeedField((chosen, origin) => {
    store.change({ seed: chosen }, origin);
  });

  const show = (state: FigureState): void => {
    const { step, head, heads, mask, seed: shownSeed } = state;
    const wanted = [heads, mask, shownSeed].join();
    if (made !== wanted) pass = runPass(state);
    made = wanted;
    seed.show(shownSeed);
    rail.show(state);
    figure.draw(pass, step, head - 1);
    text.draw(pass, step, head - 1);
    numbers.draw(pass, state);
    look(looked !== undefined && stepOf(looked.part) <= step ? looked : undefined);
  };
  store.subscribe(show);
  show(store.state);

  const headCount = boundChoice(store, 'heads', {
    label: words.heads,
    values: figureHeadCounts,
    nameOf: String,
  });
  const scale = createSignedScale({ ends: words.legend, label: words.legendLabel });
  return [
    createStage({
      label: words.rail,
      rail: rail.main,
      more: {
        label: words.more,
        content: [
          hideable('controls', element('div', { class: 'controls' }, headCount, seed.root)),
        ],
      },
      end: createPanelEnd(store, 'figure', [
        { name: words.exportName, figure: () => figure.root, data: () => dataOf(pass) },
      ]),
      views: [
        element(
          'div',
          { class: 'figure-view' },
          figure.root,
          readOut,
          element(
            'div',
            { class: 'figure-legends' },
            legend.root,
            element('div', { class: 'legend' }, scale),
          ),
        ),
        text.root,
      ],
    }),
    numbers.root,
  ];
}

const valueAt = (pass: Pass, { part, row, column }: PartCell, head: number): number =>
  pass.rowsOf(part, head - 1)[row]?.[column] ?? NaN;

/** What the read-out says of a number; `head` is counted from 1. */
function sentenceOf(pass: Pass, cell: PartCell, head: number): string {
  const { part, row, column } = cell;
  return words.cell(
    words.spoken(part, head),
    (isMap(part) ? words.query : words.row)(row + 1),
    (isMap(part) ? words.key : words.column)(column + 1),
    spokenValue(valueAt(pass, cell, head), isMaskedCell(pass, part, row, column)),
  );
}

/** All numbers of the figure, by part; of what every head has a copy of, head by head. */
function dataOf(pass: Pass): unknown {
  const { heads, headSize, mask } = pass;
  const numbers = parts.map((part) => {
    const shape = pass.shapeOf(part);
    const isOfHead = shape.length === 3 && shape[0] === heads;
    const rows = isOfHead
      ? range(heads).map((head) => pass.rowsOf(part, head))
      : pass.rowsOf(part, 0);
    return [part, { shape, rows }];
  });
  return { heads, headSize, mask, ...(Object.fromEntries(numbers) as object) };
}

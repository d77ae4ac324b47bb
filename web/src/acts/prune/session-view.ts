import type { Store } from '../../address/store.js';
import { formatLoss, formatPercent } from '../../format/numbers.js';
import { element, paragraph, setAttributes } from '../../ui/dom.js';
import { createGoal } from '../../ui/notices.js';
import { type Connection, latestOnly } from '../../worker/connection.js';
import {
  allHeads,
  canGo,
  type Head,
  isPlanted,
  plantedRoles,
  sameHead,
} from '../../worker/heads.js';
import type { Attempt, BenchState } from '../../worker/pruning-session.js';
import { createHeadTile, type HeadTile } from './head-tile.js';
import { createAnswerStrip, createQualityTable } from './session-results.js';
import type { PruneState } from './state.js';
import { words } from './words.js';

/** The goal: no more heads than do the work, and so many answers right. */
const wanted = { heads: allHeads.filter(({ role }) => isPlanted(role)).length, accuracy: 0.95 };

/** What is to be told of: the model without these heads, or what is left of it with these gates. */
interface Wish {
  readonly gone: readonly Head[];
  readonly gates?: readonly (readonly number[])[];
}

export interface BenchView {
  readonly root: HTMLElement;
  /** What the reader is to reach: told before there is a model. */
  readonly goal: HTMLElement;
  /** There is a model on the bench: shows it as the store has it. */
  open(): void;
  close(): void;
}

/** The reader prunes: a tile a head, and what the model can still do. */
export function createBenchView(
  store: Store<PruneState>,
  connection: Connection,
  onFailure: (error: unknown) => void,
): BenchView {
  const table = createQualityTable();
  const goal = createGoal(words.goalTask);
  const answers = createAnswerStrip();
  const status = element('p', { class: 'bench-status', role: 'status' });
  const undo = element('button', { type: 'button' }, words.undo);
  const reset = element('button', { type: 'button' }, words.reset);
  const tiles = allHeads.map((head) =>
    createHeadTile(head, {
      onPrune: () => {
        // What was pressed goes with the head; undoing it is the nearest thing to do.
        undo.focus({ preventScroll: true });
        const { layer, head: number } = head;
        store.change({ gone: [...store.state.gone, { layer, head: number }] });
      },
      onGate: () => {
        ask({ gone: store.state.gone, gates: gatesNow() });
      },
    }),
  );
  let isOpen = false;
  const nameOf = (gone: readonly Head[]): string => store.fields.gone.write(gone);
  /** What is gone, on the page. */
  let shown = nameOf(store.state.gone);
  /** What is gone of the model on the bench. */
  let benched: string | undefined;

  const standingOf = (head: Head): Parameters<HeadTile['show']>[0] => {
    const { gone } = store.state;
    if (gone.some((other) => sameHead(other, head))) return 'gone';
    return canGo(head, allHeads, gone) ? 'here' : 'last';
  };
  const gatesNow = (): number[][] =>
    plantedRoles.map((_, layer) =>
      tiles.filter((_tile, i) => allHeads[i].layer === layer).map(({ gate }) => gate),
    );

  function showTiles(): void {
    tiles.forEach((tile, i) => {
      tile.show(standingOf(allHeads[i]));
    });
    const isWhole = store.state.gone.length === 0 ? 'true' : undefined;
    setAttributes(undo, { 'aria-disabled': isWhole });
    setAttributes(reset, { 'aria-disabled': isWhole });
  }

  function tell(state: BenchState): void {
    table.show(state);
    answers.show(state.pruned.answers, state.shown);
    const { loss, accuracy } = state.pruned;
    const heads = allHeads.length - state.gone.length;
    const right = formatPercent(accuracy);
    status.textContent = words.status(heads, formatLoss(loss), right);
    if (heads > wanted.heads || accuracy < wanted.accuracy) return;
    const share = state.prunedMilliseconds / state.wholeMilliseconds;
    goal.show(words.reached(heads, right, formatPercent(share)), true);
  }

  function tellTried({ loss, accuracy, answers: given }: Attempt): void {
    status.textContent = words.tried(formatLoss(loss), formatPercent(accuracy));
    answers.show(given);
  }

  // Both kinds of wishes wait in one line: gates are tried on the model that the page shows.
  const ask = latestOnly(async ({ gone, gates }: Wish) => {
    const wanted = nameOf(gone);
    // More may have gone meanwhile: then nothing is told of a model that the page shows no more.
    const isShown = (): boolean => isOpen && wanted === shown;
    try {
      if (isOpen && (gates === undefined || wanted !== benched)) {
        const state = await connection.call(({ pruning }) => pruning.show(gone));
        benched = wanted;
        if (isShown()) tell(state);
      }
      if (gates !== undefined && isShown()) {
        const tried = await connection.call(({ pruning }) => pruning.tryGates(gates));
        if (isShown()) tellTried(tried);
      }
    } catch (error) {
      // With the worker went the model: a bench that was closed for it has been told of already.
      if (isOpen) onFailure(error);
    }
  });

  undo.addEventListener('click', () => {
    store.change({ gone: store.state.gone.slice(0, -1) });
  });
  reset.addEventListener('click', () => {
    store.change({ gone: [] });
  });
  store.subscribe(({ gone }) => {
    const next = nameOf(gone);
    if (next === shown) return;
    shown = next;
    showTiles();
    for (const tile of tiles) tile.openGate();
    if (isOpen) ask({ gone });
  });
  showTiles();

  const rows = plantedRoles.map((_, layer) =>
    element(
      'div',
      { class: 'tiles', role: 'group', 'aria-label': words.layer(layer + 1) },
      element('h4', { class: 'tiles-name' }, words.layer(layer + 1)),
      ...tiles.filter((_tile, i) => allHeads[i].layer === layer).map(({ root }) => root),
    ),
  );
  const root = element(
    'div',
    { class: 'bench' },
    element('h3', {}, words.bench),
    element('div', { class: 'prose' }, ...words.benchHints.map((hint) => paragraph(hint))),
    element(
      'div',
      { class: 'bench-stage' },
      element(
        'div',
        { class: 'bench-bar' },
        element('div', { class: 'buttons' }, undo, reset),
        status,
        answers.root,
      ),
      ...rows,
    ),
    table.root,
  );
  root.hidden = true;
  return {
    root,
    goal: goal.root,
    open() {
      isOpen = true;
      benched = undefined;
      root.hidden = false;
      ask({ gone: store.state.gone });
    },
    close() {
      isOpen = false;
      root.hidden = true;
    },
  };
}

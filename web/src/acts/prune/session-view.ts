import type { Store } from '../../address/store.js';
import { formatLoss, formatPercent } from '../../format/numbers.js';
import { element, paragraph, setAttributes } from '../../ui/dom.js';
import { announce } from '../../ui/live-region.js';
import { createGoalApart } from '../../ui/goal.js';
import { createStage } from '../../ui/stage.js';
import { type Connection, coalesce } from '../../worker/connection.js';
import { allHeads, canGo, type Head, rolesOfLayers, sameHead } from '../../worker/heads.js';
import type { Attempt, SessionState } from '../../worker/pruning-session.js';
import type { Study } from '../../worker/study.js';
import type { TimedPairs } from '../../worker/timing.js';
import { createHeadTile, type HeadTile } from './head-tile.js';
import { createAnswerStrip, createQualityTable } from './session-results.js';
import { headsLeft, isReached, type PruneState } from './state.js';
import { words } from './words.js';

/** A request: the model without these heads, or with these gates on the heads left. */
interface SessionRequest {
  readonly pruned: readonly Head[];
  readonly gates?: readonly (readonly number[])[];
}

export interface SessionView {
  readonly root: HTMLElement;
  /** There is a model in the session, of this study: shows it as the store has it. */
  open(study: Study): void;
  close(): void;
}

/** The reader prunes: a tile a head, and what the model can still do. */
export function createSessionView(
  store: Store<PruneState>,
  connection: Connection,
  onFailure: (error: unknown) => void,
): SessionView {
  const table = createQualityTable();
  const goal = createGoalApart(words.goalTask);
  const answers = createAnswerStrip();
  const status = element('p', { class: 'session-status' });
  const undo = element('button', { type: 'button' }, words.undo);
  const reset = element('button', { type: 'button' }, words.reset);
  const tiles = allHeads.map((head) =>
    createHeadTile(head, {
      onPrune: () => {
        // The pressed button is removed with the head; Undo is the closest control.
        undo.focus({ preventScroll: true });
        const { layer, head: number } = head;
        store.change({ pruned: [...store.state.pruned, { layer, head: number }] });
      },
      onGate: () => {
        request({ pruned: store.state.pruned, gates: gatesNow() });
      },
    }),
  );
  let isOpen = false;
  const nameOf = (pruned: readonly Head[]): string => store.fields.pruned.write(pruned);
  /** The heads pruned on the page. */
  let shown = nameOf(store.state.pruned);
  /** The heads pruned from the model in the session. */
  let loaded: string | undefined;
  /** What the worker said last of the model that the page shows. */
  let told: SessionState | undefined;
  let study: Study | undefined;

  const standingOf = (head: Head): Parameters<HeadTile['show']>[0] => {
    const { pruned } = store.state;
    if (pruned.some((other) => sameHead(other, head))) return 'pruned';
    return canGo(head, allHeads, pruned) ? 'here' : 'last';
  };
  const gatesNow = (): number[][] =>
    rolesOfLayers.map((_, layer) =>
      tiles.filter((_tile, i) => allHeads[i].layer === layer).map(({ gate }) => gate),
    );

  function showTiles(): void {
    tiles.forEach((tile, i) => {
      tile.show(standingOf(allHeads[i]));
    });
    const isWhole = store.state.pruned.length === 0 ? 'true' : undefined;
    setAttributes(undo, { 'aria-disabled': isWhole });
    setAttributes(reset, { 'aria-disabled': isWhole });
  }

  function render(state: SessionState): void {
    told = state;
    table.show(state, undefined);
    answers.show(state.left.answers, study?.shown);
    const { loss, accuracy } = state.left;
    const heads = headsLeft(state);
    const right = formatPercent(accuracy);
    status.textContent = words.status(heads, formatLoss(loss), right);
    setAttributes(status, { 'data-left': heads, 'data-accuracy': accuracy, 'data-gated': false });
    announce(status.textContent);
    if (isReached(state)) goal.show(words.reached(heads, right), true);
  }

  function renderTiming(state: SessionState, timing: TimedPairs): void {
    table.show(state, timing);
    if (!isReached(state)) return;
    const right = formatPercent(state.left.accuracy);
    goal.show(words.reachedIn(headsLeft(state), right, formatPercent(timing.ratio)), true);
  }

  function renderAttempt({ loss, accuracy, answers: given }: Attempt): void {
    status.textContent = words.tried(formatLoss(loss), formatPercent(accuracy));
    setAttributes(status, { 'data-accuracy': accuracy, 'data-gated': true });
    answers.show(given);
  }

  // Both kinds of wishes wait in one line: gates are tried on the model that the page shows.
  const request = coalesce(async ({ pruned, gates }: SessionRequest) => {
    const wanted = nameOf(pruned);
    // More may have been pruned meanwhile: then the answer is of a model that the page no longer shows.
    const isShown = (): boolean => isOpen && wanted === shown;
    try {
      if (isOpen && (gates === undefined || wanted !== loaded)) {
        const state = await connection.call(({ pruning }) => pruning.show(pruned));
        loaded = wanted;
        if (isShown()) {
          render(state);
          if (state.pruned.length > 0) void time(state);
        }
      }
      if (gates !== undefined && isShown()) {
        const tried = await connection.call(({ pruning }) => pruning.tryGates(gates));
        if (isShown()) renderAttempt(tried);
      }
    } catch (error) {
      // With the worker went the model: a session closed for that reason has been reported already.
      if (isOpen) onFailure(error);
    }
  });

  // Not in the line of the others: the next wish ends it.
  async function time(state: SessionState): Promise<void> {
    try {
      const timing = await connection.call(({ pruning }) => pruning.time());
      if (timing !== undefined && isOpen && told === state) renderTiming(state, timing);
    } catch (error) {
      if (isOpen) onFailure(error);
    }
  }

  undo.addEventListener('click', () => {
    store.change({ pruned: store.state.pruned.slice(0, -1) });
  });
  reset.addEventListener('click', () => {
    store.change({ pruned: [] });
  });
  store.subscribe(({ pruned }) => {
    const next = nameOf(pruned);
    if (next === shown) return;
    shown = next;
    showTiles();
    for (const tile of tiles) tile.openGate();
    if (isOpen) request({ pruned });
  });
  showTiles();

  const rows = rolesOfLayers.map((_, layer) =>
    element(
      'div',
      { class: 'tiles', role: 'group', 'aria-label': words.layer(layer + 1) },
      element('h4', { class: 'tiles-name' }, words.layer(layer + 1)),
      ...tiles.filter((_tile, i) => allHeads[i].layer === layer).map(({ root }) => root),
    ),
  );
  const root = element(
    'div',
    { class: 'session' },
    createStage({
      label: words.sessionPanel,
      rail: [
        element('h3', {}, words.session),
        element(
          'div',
          { class: 'session-bar rail-pinned' },
          goal.root,
          status,
          element('div', { class: 'buttons' }, undo, reset),
        ),
        goal.outcome,
        paragraph(words.sessionHint, { class: 'note' }),
        table.root,
      ],
      views: [...rows, answers.root, element('p', { class: 'caption' }, words.answersHint)],
    }),
  );
  root.hidden = true;
  return {
    root,
    open(opened) {
      study = opened;
      tiles.forEach((tile, i) => {
        tile.showRole(opened.roles[i]);
      });
      showTiles();
      isOpen = true;
      loaded = undefined;
      root.hidden = false;
      request({ pruned: store.state.pruned });
    },
    close() {
      isOpen = false;
      root.hidden = true;
    },
  };
}

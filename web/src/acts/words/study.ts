import { ascending, sort } from 'd3-array';
import { html, nothing, render } from 'lit-html';

import type { Store } from '../../address/store.js';
import { formatMilliseconds, formatShort } from '../../format/numbers.js';
import { joinSentences } from '../../format/sentences.js';
import { createNamedSlider } from '../../ui/controls/slider.js';
import { element } from '../../ui/dom.js';
import { announce } from '../../ui/live-region.js';
import { canGo, type Head } from '../../worker/heads.js';
import type { Timing } from '../../worker/timing.js';
import type { Reader } from './reader.js';
import type { WordsState } from './state.js';
import { words } from './words.js';

export interface Study {
  readonly root: HTMLElement;
  draw(): void;
}

/** Which heads this text needs: ranked by ablation, the least important shut, the time without them measured. */
export function createStudy(store: Store<WordsState>, reader: Reader): Study {
  const buttons = element('div', { class: 'study-buttons' });
  const status = element('p', { class: 'study-status' });
  const slider = createNamedSlider({
    label: words.prune,
    range: { min: 0, max: 1, step: 1 },
    describe: words.pruneValue,
    onSlide(number, origin) {
      store.change({ shut: leastImportant(reader).slice(0, number) }, origin);
    },
  });
  const root = element(
    'section',
    { class: 'study', 'aria-label': words.study },
    buttons,
    slider.root,
    status,
  );

  return {
    root,
    draw() {
      const { state, run, model, job } = reader;
      const shut = shutHere(store.state.shut, model?.numHeads);
      const emptied = model?.numHeads.findIndex(
        (heads, layer) => shut.filter((head) => head.layer === layer).length === heads,
      );
      const isReady = state === 'ready' && run !== undefined && model !== undefined;
      const canRank = isReady && model.isCausal && run.tokens.length > 1 && job === undefined;
      const canTime = isReady && shut.length > 0 && emptied === -1 && job === undefined;
      // Not `disabled`: that would take the focus away from whoever has just pressed it.
      const off = (can: boolean): 'true' | typeof nothing => (can ? nothing : 'true');
      render(
        html`<button
            type="button"
            aria-disabled=${off(canRank)}
            @click=${() => (canRank ? void reader.rank() : undefined)}
          >
            ${words.rank}
          </button>
          <button
            type="button"
            aria-disabled=${off(canTime)}
            @click=${() => (canTime ? void reader.time() : undefined)}
          >
            ${words.time}
          </button>
          ${
            job === undefined
              ? nothing
              : html`<button
                  type="button"
                  @click=${() => {
                    reader.stop();
                  }}
                >
                  ${words.stop}
                </button>`
          }`,
        buttons,
      );
      const order = leastImportant(reader);
      slider.root.hidden = reader.importance === undefined;
      const isOfOrder = order.slice(0, shut.length).every((head) => shut.some(isSameAs(head)));
      slider.show(isOfOrder ? Math.min(shut.length, order.length) : 0, order.length);
      const told = statusOf(reader, emptied);
      // Not how far it has come.
      if (job === undefined && status.textContent !== told) announce(told);
      status.textContent = told;
    },
  };
}

const isSameAs =
  (a: Head) =>
  (b: Head): boolean =>
    a.layer === b.layer && a.head === b.head;

export const shutHere = (
  shut: readonly Head[],
  numHeads: readonly number[] = [],
): readonly Head[] => shut.filter(({ layer, head }) => head < (numHeads[layer] ?? 0));

/** The heads that can go one after the other, the least important first; every layer keeps one. */
function leastImportant({ importance }: Reader): Head[] {
  if (importance === undefined) return [];
  const heads = importance.flatMap((ofLayer, layer) => ofLayer.map((_, head) => ({ layer, head })));
  const rise = ({ layer, head }: Head): number => importance[layer]?.[head] ?? NaN;
  const gone: Head[] = [];
  for (const head of sort(heads, (a, b) => ascending(rise(a), rise(b)))) {
    if (canGo(head, heads, gone)) gone.push(head);
  }
  return gone;
}

function statusOf(reader: Reader, emptied: number | undefined): string {
  const { job, timing, importance, wasStopped, problem } = reader;
  if (job !== undefined) {
    return (job.kind === 'rank' ? words.ranking : words.timing)(job.done, job.total);
  }
  if (wasStopped) return words.stopped;
  if (problem !== '') return problem;
  if (timing !== undefined) return sayTiming(timing);
  if (emptied !== undefined && emptied >= 0) return words.cannotPrune(emptied);
  return importance === undefined ? '' : words.ranked;
}

function sayTiming({ whole, pruned, tokens, ratio, lower, upper, pairs }: Timing): string {
  const verdict = upper < 1 ? words.faster : lower > 1 ? words.slower : words.level;
  return joinSentences([
    words.timed(formatMilliseconds(whole), formatMilliseconds(pruned), tokens),
    words.ratio(formatShort(ratio), formatShort(lower), formatShort(upper), pairs),
    verdict,
  ]);
}

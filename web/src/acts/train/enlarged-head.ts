import { createHeadMap, type HeadMap } from '../../attention/head-map.js';
import { type Cell, listenToMaps, Selection } from '../../attention/map-selection.js';
import { words as mapWords } from '../../attention/words.js';
import { formatWeight } from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import { type Head, sameHead } from '../../worker/heads.js';
import { symbolOf } from '../../worker/tasks.js';
import type { Moment, RunRecord } from './run-record.js';
import { words } from './words.js';

export interface EnlargedHead {
  readonly root: HTMLElement;
  /** The map of one head, cell by cell; `undefined` for none. */
  draw(record: RunRecord, moment: Moment, place: Head | undefined): void;
}

interface Shown {
  readonly record: RunRecord;
  readonly moment: Moment;
  readonly place: Head;
}

/**
 * One head of a run in a map as of the act `heads`, large, with tokens at its edges. `hatch` is the
 * fill of masked cells. `onQuery` is told of the row, from 0, that the pointer or the focus is on.
 */
export function createEnlargedHead(
  hatch: string,
  onQuery: (query: number | undefined) => void,
): EnlargedHead {
  const readOut = element('p', { class: 'read-out' }, words.enlargedHint);
  const stage = element('div', { class: 'enlarged-map' });
  const root = element('div', { class: 'enlarged' }, stage, readOut);
  let shown: Shown | undefined;
  let map: HeadMap | undefined;

  const lengthOf = ({ record }: Shown): number => record.start.tokens.length;
  const symbols = ({ record }: Shown): string[] =>
    Array.from(record.start.tokens, (token) => symbolOf(record.options.task, token));
  const weightOf = (now: Shown, query: number, key: number): number => {
    const { moment, place } = now;
    const length = lengthOf(now);
    return moment.weights[place.layer][(place.head * length + query) * length + key];
  };
  const sentenceOf = (now: Shown, { query, key }: Cell): string => {
    const names = symbols(now);
    const at = [query + 1, names[query], key + 1, names[key]] as const;
    return key > query
      ? words.later(...at)
      : words.cell(...at, formatWeight(weightOf(now, query, key)));
  };

  function render(): void {
    const { active } = selection;
    map?.ring(active, true);
    if (shown === undefined) readOut.textContent = words.enlargedHint;
    else
      readOut.textContent =
        active === undefined ? mapWords.readOut.hint : sentenceOf(shown, active);
  }

  const selection = new Selection(() => {
    render();
    onQuery(selection.active?.query);
  });
  const register = listenToMaps({
    stage,
    selection,
    sizes: () => {
      const length = shown === undefined ? 0 : lengthOf(shown);
      return { queries: length, keys: length };
    },
    onPin: ({ query, key }) => map?.setTabStop(query, key),
  });

  function build(now: Shown): void {
    const place = { layer: now.place.layer + 1, head: now.place.head + 1 };
    const names = symbols(now);
    map = createHeadMap({
      head: now.place.head,
      title: words.enlarged(place),
      label: words.enlargedLabel(place),
      hatch,
      register,
      names: { queries: names, keys: names },
    });
    map.setTabStop(0, 0);
    stage.replaceChildren(map.root);
  }

  return {
    root,
    draw(record, moment, place) {
      const before = shown;
      const now = place && { record, moment, place };
      shown = now;
      if (now === undefined) {
        map = undefined;
        stage.replaceChildren();
        selection.pin(undefined);
      } else {
        if (before?.record !== record || !sameHead(before.place, now.place)) build(now);
        const values = (query: number, key: number) => ({
          weight: weightOf(now, query, key),
          masked: key > query,
        });
        map?.draw(values);
      }
      render();
    },
  };
}

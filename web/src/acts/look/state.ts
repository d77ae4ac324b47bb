import { choiceField, numberField, type StateOf, writtenField } from '../../address/field.js';
import { Store } from '../../address/store.js';
import { listOf } from '../../format/sentences.js';
import { type Head, headNamed, nameOfHead } from '../../worker/heads.js';

/** A layer, and one of its heads or all. */
export interface Selected {
  readonly layer: number;
  readonly head: number | undefined;
}

/** Of models that readers open: no address asks for more. */
const mostShut = 400;

export const selectedName = 'look-head';
export const writeSelected = ({ layer, head }: Selected): string =>
  head === undefined ? String(layer + 1) : nameOfHead({ layer, head });

export const shutName = 'look-shut';

const fields = {
  /** The only head whose arcs the first screen shows, counted from 1; 0 for all. */
  arcs: numberField('look-arcs', { min: 0, max: 4, step: 1 }, 0),
  /** The selected word, counted from 1; 0 where the page chooses. */
  query: numberField('look-query', { min: 0, max: 40, step: 1 }, 0),
  /** `2.2`, or `2` for all heads of a layer. */
  selected: writtenField<Selected>(
    selectedName,
    { layer: 1, head: 1 },
    (written) =>
      headNamed(written) ??
      (/^[1-9]\d?$/.test(written) ? { layer: Number(written) - 1, head: undefined } : undefined),
    writeSelected,
  ),
  view: choiceField('look-view', ['arcs', 'map'] as const, 'arcs'),
  /** Heads whose gates are shut: `2.2,2.4`. */
  shut: writtenField<readonly Head[]>(
    shutName,
    [],
    (written) =>
      [...new Set(written.split(','))].slice(0, mostShut).flatMap((name) => headNamed(name) ?? []),
    (heads) => heads.map(nameOfHead).join(),
    (heads) => listOf(heads.map(nameOfHead)),
  ),
};

/** What the controls of the act hold. The sentence has a store of its own: reading/sentence.ts. */
export type LookState = StateOf<typeof fields>;

/** One for the first screen, which is there before the rest of the act, and for the rest. */
export const look = new Store<LookState>(fields);

/** The part of a state that a model has: its layers and heads are known once it is loaded. */
export function fitTo(
  { selected, shut }: LookState,
  numHeads: readonly number[],
): Pick<LookState, 'selected' | 'shut'> {
  const layer = Math.min(selected.layer, numHeads.length - 1);
  const last = (numHeads[layer] ?? 1) - 1;
  return {
    selected: {
      layer,
      head: selected.head === undefined ? undefined : Math.min(selected.head, last),
    },
    shut: shut.filter((each) => each.head < (numHeads[each.layer] ?? 0)),
  };
}

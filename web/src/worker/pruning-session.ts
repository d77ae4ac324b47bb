import type { AttentionOnlyTransformer, StateDict } from 'headwise/models';

import { type Answers, answersOf, type Sequence } from './answers.js';
import { type Head, sameHead } from './heads.js';
import type { PlantedModel, Quality } from './planted-model.js';
import { timePairs, type TimedPairs } from './timing.js';

/** Fewer than elsewhere: a reader who prunes head after head waits for each. */
const timing = { pairs: 21, leastMs: 8 } as const;

/** Loss and accuracy of a model on the test sequences, and its predictions for the shown one. */
export interface Attempt extends Quality {
  readonly answers: Answers;
}

/** A model with some of its heads pruned for good, beside the whole one. */
export interface SessionState {
  readonly pruned: readonly Head[];
  readonly whole: Quality;
  readonly left: Attempt;
}

/** The parameters as they were with these heads pruned: what undoing goes back to. */
interface Saved {
  readonly pruned: readonly Head[];
  readonly dict: StateDict;
}

/** Heads removed one by one, and put back. */
export class PruningSession {
  readonly #planted: PlantedModel;
  readonly #saved: Saved[];
  readonly #shown: Sequence;
  #model: AttentionOnlyTransformer;

  /** @param shown what the model is asked for its predictions of */
  constructor(planted: PlantedModel, shown: Sequence) {
    this.#planted = planted;
    this.#shown = shown;
    this.#model = planted.copy();
    this.#saved = [{ pruned: [], dict: this.#model.stateDict() }];
  }

  /** The model without these heads, in the order in which they went. */
  show(pruned: readonly Head[]): SessionState {
    this.#goBackTo(pruned);
    for (const head of pruned.slice(this.#pruned.length)) this.#remove(head);
    return { pruned: this.#pruned, whole: this.#planted.quality(), left: this.#attempt() };
  }

  /** The pruned model with these gates, one per head of the full model. */
  tryGates(gates: readonly (readonly number[])[]): Attempt {
    const leftGates = gates.map((ofLayer, layer) =>
      Float32Array.from(this.#left(layer), (head) => ofLayer[head] ?? 1),
    );
    return this.#attempt(leftGates);
  }

  /** The whole model without each of these choices of heads. */
  without(choices: readonly (readonly Head[])[]): Quality[] {
    return choices.map((heads) => this.#planted.without(heads));
  }

  /** One forward of the test sequences by either model, in turn. */
  time(signal: AbortSignal): Promise<TimedPairs> {
    const { tokens } = this.#planted.testBatch;
    const forward = (model: AttentionOnlyTransformer) => (): void => void model.forward(tokens);
    return timePairs(forward(this.#planted.model), forward(this.#model), { ...timing, signal });
  }

  /** Gives both models back, the whole one too. */
  dispose(): void {
    this.#model.dispose();
    this.#planted.dispose();
  }

  #attempt(headGates?: readonly Float32Array[]): Attempt {
    return {
      ...this.#planted.quality(headGates, this.#model),
      answers: answersOf(this.#model, this.#shown, headGates && { headGates }),
    };
  }

  get #pruned(): readonly Head[] {
    return this.#saved.at(-1)?.pruned ?? [];
  }

  /** Numbers that the heads left in a layer had before any went. */
  #left(layer: number, pruned = this.#pruned): number[] {
    return [...(this.#planted.roles[layer]?.keys() ?? [])].filter(
      (head) => !pruned.some((other) => sameHead(other, { layer, head })),
    );
  }

  #remove(head: Head): void {
    this.#model.pruneHeads({ [head.layer]: [this.#left(head.layer).indexOf(head.head)] });
    this.#saved.push({ pruned: [...this.#pruned, head], dict: this.#model.stateDict() });
  }

  /** Undoes what was removed beyond what `wanted` begins with. */
  #goBackTo(wanted: readonly Head[]): void {
    const isOnTheWay = ({ pruned }: Saved): boolean =>
      pruned.length <= wanted.length && pruned.every((head, i) => sameHead(head, wanted[i]));
    const kept = this.#saved.filter(isOnTheWay);
    const last = kept.at(-1);
    if (last === undefined || kept.length === this.#saved.length) return;
    const model = this.#planted.copy();
    try {
      const ofLayer = (layer: number): number[] =>
        last.pruned.filter((head) => head.layer === layer).map(({ head }) => head);
      model.pruneHeads(
        Object.fromEntries(this.#planted.roles.map((_, layer) => [layer, ofLayer(layer)])),
      );
      model.loadStateDict(last.dict);
    } catch (error) {
      model.dispose();
      throw error;
    }
    this.#model.dispose();
    this.#model = model;
    this.#saved.splice(0, Infinity, ...kept);
  }
}

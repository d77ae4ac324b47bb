import type { SharedModel } from '../../reading/model.js';
import { words } from '../../reading/sentence-field.js';
import { reasonOf } from '../../ui/notices.js';
import { coalesce, isBeyondRepair } from '../../worker/connection.js';
import { gatesWithout, type Head } from '../../worker/heads.js';
import type { Gates, LensLayer, TextRun } from '../../worker/language-model.js';

export interface Wish {
  readonly text: string;
  readonly shut: readonly Head[];
  /** The selected position; undefined for the last. */
  readonly position: number | undefined;
}

/** Asks the model to read the sentence. While it reads, only the newest request waits. */
export class Reader {
  readonly #model: SharedModel;
  readonly #onChange: () => void;

  /** Text, gates and model of `run`. */
  #key = '';

  /** What was read last; undefined for a text without a token. */
  run: TextRun | undefined;
  /** The wish that `run` answers. */
  read: Wish | undefined;
  lens: readonly LensLayer[] = [];
  /** Why the text cannot be read. */
  problem = '';

  constructor(model: SharedModel, onChange: () => void) {
    this.#model = model;
    this.#onChange = onChange;
  }

  readonly ask = coalesce<Wish>(async (wish) => {
    const { text, shut, position } = wish;
    try {
      const run = await this.#model.call((service) =>
        service.run(text, this.#gates(shut), position),
      );
      const { generation } = this.#model;
      const key = JSON.stringify([generation, text, shut]);
      // Another position of the same reading: what is drawn of its weights stays.
      this.run = run && this.run && key === this.#key ? { ...run, weights: this.run.weights } : run;
      this.#key = key;
      this.read = wish;
      this.problem = '';
      this.#onChange();
      if (run === undefined) return;
      const at = Math.min(position ?? Infinity, run.tokens.length - 1);
      this.lens = await this.#model.call((service) => service.lens(text, at, this.#gates(shut)));
    } catch (error) {
      // The notice of the shared model reports a lost worker or a failed load.
      if (isBeyondRepair(error) || this.#model.description === undefined) return;
      this.run = undefined;
      this.problem = reasonOf(error, words.notRead);
    }
    this.#onChange();
  });

  #gates(shut: readonly Head[]): Gates | undefined {
    const numHeads = this.#model.description?.numHeads;
    return shut.length === 0 ? undefined : numHeads && gatesWithout(numHeads, shut);
  }
}

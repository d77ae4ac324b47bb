import { proxy } from 'comlink';

import type { SharedModel } from '../../reading/model.js';
import type { ModelDescription } from '../../worker/language-model.js';
import { type ModelStudy, studyModel } from '../../worker/model-study.js';
import { builtInModelStudy } from './records.js';

const builtInModel = { name: undefined, numHeads: builtInModelStudy.numHeads };

const keyOf = ({ name, numHeads }: Pick<ModelDescription, 'name' | 'numHeads'>): string =>
  `${name ?? ''} ${numHeads.join()}`;

export type RankerState = 'idle' | 'busy' | 'done' | 'stopped' | 'failed';

/** Ranks the heads of the language model in its worker, and prunes them in every order. */
export class Ranker {
  readonly #model: SharedModel;
  #onChange: () => void = () => undefined;
  /** Increases with every ranking, stop, and model: answers to an earlier one are dropped. */
  #run = 0;
  /** The model in use, by name and shape. */
  #key = keyOf(builtInModel);
  #state: RankerState = 'idle';
  #study: ModelStudy | undefined = builtInModelStudy;
  #share = 0;
  #problem = '';

  constructor(model: SharedModel, onChange: () => void) {
    this.#model = model;
    model.onChange(() => {
      this.#follow();
    });
    this.#follow();
    // What is there already is no change.
    this.#onChange = onChange;
  }

  get state(): RankerState {
    return this.#state;
  }

  /** Of the model in use, as far as it has come. That of the page's own model comes with the page. */
  get study(): ModelStudy | undefined {
    return this.#study;
  }

  /** Whether the study was made here, not stored with the page. */
  get isMeasured(): boolean {
    return this.#study !== undefined && this.#study !== builtInModelStudy;
  }

  /** From 0 to 1. */
  get share(): number {
    return this.#share;
  }

  /** Why it failed. */
  get problem(): string {
    return this.#problem;
  }

  async start(): Promise<void> {
    this.#share = 0;
    this.#run += 1;
    const run = this.#run;
    this.#turn('busy');
    try {
      const { numHeads } = await this.#model.load();
      const ifWanted = <Answer>(answer: Answer): Answer => {
        if (run !== this.#run) throw new DOMException('stopped', 'AbortError');
        return answer;
      };
      await studyModel(
        {
          numHeads,
          measure: async (measure, onProgress) =>
            ifWanted(
              await this.#model.call((service) => service.measureHeads(measure, proxy(onProgress))),
            ),
          loss: async (gates) =>
            ifWanted(await this.#model.call((service) => service.heldOutLoss(gates))),
        },
        (share, study) => {
          if (run !== this.#run) return;
          this.#share = share;
          if (study.curves.length > 0) this.#study = { ...study, curves: [...study.curves] };
          this.#onChange();
        },
      );
      if (run === this.#run) this.#turn('done');
    } catch (error) {
      if (run !== this.#run) return;
      this.#problem = error instanceof Error ? error.message : '';
      this.#turn('failed');
    }
  }

  /** Ends the ranking; finished orders are kept. */
  stop(): void {
    if (this.#state !== 'busy') return;
    this.#run += 1;
    this.#turn('stopped');
    this.#model.call((service) => service.stopMeasuring()).catch(() => undefined);
  }

  /** Another model starts over. */
  #follow(): void {
    const { description } = this.#model;
    const key = description === undefined ? this.#key : keyOf(description);
    if (key === this.#key) return;
    this.#key = key;
    this.stop();
    this.#study = key === keyOf(builtInModel) ? builtInModelStudy : undefined;
    this.#turn('idle');
  }

  #turn(state: RankerState): void {
    this.#state = state;
    this.#onChange();
  }
}

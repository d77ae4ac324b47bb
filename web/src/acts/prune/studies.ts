import { proxy } from 'comlink';

import type { SharedModel } from '../../reading/model.js';
import type { Connection } from '../../worker/connection.js';
import { rolesOfLayers } from '../../worker/heads.js';
import type { ModelDescription } from '../../worker/language-model.js';
import { type ModelStudy, studyModel } from '../../worker/model-study.js';
import type { RunListeners } from '../../worker/run-driver.js';
import { unpackMaps } from '../../worker/training.js';
import type { Shown, Study } from '../../worker/study.js';
import stored from './records.json' with { type: 'json' };

/** The seed whose results come with the page. */
export const builtInSeed = 1;

/** Studies of this seed and the next ones. */
export function builtInStudies(): readonly Study[] {
  const { weights, ...shown } = stored.shown;
  const [first, ...others] = stored.studies as unknown as readonly Study[];
  return [{ ...first, shown: shownOf(shown, weights) }, ...others];
}

/** What pruning costs the page's own language model. */
export const builtInModelStudy = stored.model as unknown as ModelStudy;

function shownOf(
  { tokens, targets, accuracyWithout }: Omit<typeof stored.shown, 'weights'>,
  packed: string,
): Shown {
  // One byte per weight; `unpackMaps` takes two.
  const steps = Uint16Array.from(atob(packed), (character) => 257 * character.charCodeAt(0));
  return {
    tokens: Int32Array.from(tokens),
    targets: Int32Array.from(targets),
    accuracyWithout,
    weights: unpackMaps(steps, rolesOfLayers.length, rolesOfLayers[0]?.length ?? 0, tokens.length),
  };
}

/** Seeds that one planting studies. */
export const numSeeds = 5;

type StudyState = 'idle' | 'busy' | 'done' | 'stopped' | 'failed';

/** Trains and studies planted models in the worker, seed after seed. */
export class Planter {
  readonly #connection: Connection;
  readonly #listeners: RunListeners;
  state: StudyState = 'idle';
  /** Of the seeds so far; the first has maps. */
  studies: readonly Study[] = [];
  /** The seed that is being studied. */
  seed = 0;
  #done = 0;
  /** Grows with every planting; answers to an older one are not for this one. */
  #generation = 0;

  constructor(connection: Connection, listeners: RunListeners) {
    this.#connection = connection;
    this.#listeners = listeners;
  }

  /** Of all seeds, from 0 to 1. */
  get progress(): number {
    return (this.studies.length + this.#done) / numSeeds;
  }

  /** Studies a seed, whose maps are shown, and the ones after it. The results of one seed come with the page. */
  async plant(first: number): Promise<void> {
    this.#generation += 1;
    const generation = this.#generation;
    this.studies = first === builtInSeed ? builtInStudies() : [];
    if (first === builtInSeed) {
      this.#stopWorker();
      this.#turn('done');
      return;
    }
    try {
      for (let number = 0; number < numSeeds; number += 1) {
        this.seed = first + number;
        this.#done = 0;
        this.#turn('busy');
        const onProgress = proxy((done: number, total: number) => {
          if (generation !== this.#generation) return;
          this.#done = done / total;
          this.#listeners.onChange();
        });
        const study = await this.#connection.call(({ pruning }) =>
          pruning.study(first + number, number === 0, onProgress),
        );
        if (generation !== this.#generation) return;
        this.studies = [...this.studies, study];
      }
      this.#turn('done');
    } catch (error) {
      if (generation !== this.#generation) return;
      this.#generation += 1;
      this.#turn('failed');
      this.#listeners.onFailure(error);
    }
  }

  /** Stops the current study and keeps the finished ones. */
  stop(): void {
    if (this.state !== 'busy') return;
    this.#generation += 1;
    this.#stopWorker();
    this.#turn('stopped');
  }

  #stopWorker(): void {
    this.#connection.call(({ pruning }) => pruning.stop()).catch(() => undefined);
  }

  #turn(state: StudyState): void {
    this.state = state;
    this.#listeners.onChange();
  }
}

const builtInModel = { name: undefined, numHeads: builtInModelStudy.numHeads };

const keyOf = ({ name, numHeads }: Pick<ModelDescription, 'name' | 'numHeads'>): string =>
  `${name ?? ''} ${numHeads.join()}`;

/** Ranks the heads of the language model in its worker, and prunes them in every order. */
export class Ranker {
  readonly #model: SharedModel;
  #onChange: () => void = () => undefined;
  /** Increases with every ranking, stop, and model: answers to an earlier one are dropped. */
  #run = 0;
  /** The model in use, by name and shape. */
  #key = keyOf(builtInModel);
  state: StudyState = 'idle';
  /** Of the model in use, as far as it has come. That of the page's own model comes with the page. */
  study: ModelStudy | undefined = builtInModelStudy;
  /** From 0 to 1. */
  share = 0;
  /** Why it failed. */
  problem = '';

  constructor(model: SharedModel, onChange: () => void) {
    this.#model = model;
    model.onChange(() => this.#follow());
    this.#follow();
    // The listener is called for later changes only.
    this.#onChange = onChange;
  }

  /** Whether the study was made here, not stored with the page. */
  get isMeasured(): boolean {
    return this.study !== undefined && this.study !== builtInModelStudy;
  }

  async start(): Promise<void> {
    this.share = 0;
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
          this.share = share;
          if (study.curves.length > 0) this.study = { ...study, curves: [...study.curves] };
          this.#onChange();
        },
      );
      if (run === this.#run) this.#turn('done');
    } catch (error) {
      if (run !== this.#run) return;
      this.problem = error instanceof Error ? error.message : '';
      this.#turn('failed');
    }
  }

  /** Ends the ranking; finished orders are kept. */
  stop(): void {
    if (this.state !== 'busy') return;
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
    this.study = key === keyOf(builtInModel) ? builtInModelStudy : undefined;
    this.#turn('idle');
  }

  #turn(state: StudyState): void {
    this.state = state;
    this.#onChange();
  }
}

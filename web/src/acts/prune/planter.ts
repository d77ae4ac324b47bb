import type { Connection } from '../../worker/connection.js';
import type { Study } from '../../worker/study.js';
import { builtInSeed, builtInStudies } from './records.js';

/** Seeds that one planting studies. */
export const numSeeds = 5;

/** Work between two answers. */
const sliceMs = 30;

export type PlanterState = 'idle' | 'busy' | 'done' | 'stopped' | 'failed';

interface Listeners {
  readonly onChange: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Trains and studies planted models in the worker, seed after seed. */
export class Planter {
  readonly #connection: Connection;
  readonly #listeners: Listeners;
  #state: PlanterState = 'idle';
  #studies: readonly Study[] = [];
  #seed = 0;
  #done = 0;
  /** Grows with every planting; answers to an older one are not for this one. */
  #generation = 0;

  constructor(connection: Connection, listeners: Listeners) {
    this.#connection = connection;
    this.#listeners = listeners;
  }

  get state(): PlanterState {
    return this.#state;
  }

  /** Of the seeds so far; the first has maps. */
  get studies(): readonly Study[] {
    return this.#studies;
  }

  /** The seed that is being studied. */
  get seed(): number {
    return this.#seed;
  }

  /** Of all seeds, from 0 to 1. */
  get progress(): number {
    return (this.#studies.length + this.#done) / numSeeds;
  }

  /** Studies a seed, whose maps are shown, and the ones after it. The results of one seed come with the page. */
  async plant(first: number): Promise<void> {
    this.#generation += 1;
    const generation = this.#generation;
    this.#studies = first === builtInSeed ? builtInStudies() : [];
    if (first === builtInSeed) {
      this.#turn('done');
      return;
    }
    try {
      for (let number = 0; number < numSeeds; number += 1) {
        this.#seed = first + number;
        this.#done = 0;
        this.#turn('busy');
        const isShown = number === 0;
        await this.#connection.call(({ pruning }) => pruning.plant(first + number, isShown));
        const study = await this.#study(generation);
        if (study === undefined) return;
        this.#studies = [...this.#studies, study];
      }
      this.#turn('done');
    } catch (error) {
      this.#fail(error, generation);
    }
  }

  /** Ends what is being studied; what was is kept. */
  stop(): void {
    if (this.#state !== 'busy') return;
    this.#generation += 1;
    this.#turn('stopped');
  }

  #fail(error: unknown, generation: number): void {
    if (generation !== this.#generation) return;
    this.#generation += 1;
    this.#turn('failed');
    this.#listeners.onFailure(error);
  }

  /** Until it is done, or another planting has begun. */
  async #study(generation: number): Promise<Study | undefined> {
    for (;;) {
      if (generation !== this.#generation) return undefined;
      const { done, total, study } = await this.#connection.call(({ pruning }) =>
        pruning.advance(sliceMs),
      );
      if (generation !== this.#generation) return undefined;
      if (study !== undefined) return study;
      this.#done = done / total;
      this.#listeners.onChange();
    }
  }

  #turn(state: PlanterState): void {
    this.#state = state;
    this.#listeners.onChange();
  }
}

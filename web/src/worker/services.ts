import { type ProxyMarked, transfer } from 'comlink';
import { init } from 'headwise';

import type { Head } from './heads.js';
import { PlantedModel } from './planted-model.js';
import { type Attempt, type SessionState, PruningSession } from './pruning-session.js';
import { study, type Study, studySize } from './study.js';
import { type RunOptions, type Start, Trainer, type Update } from './training.js';

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** The study, once it is done. */
  readonly study?: Study;
}

// The models are small: one thread is as fast as several.
const ready = init({ threads: 1 });

const buffersOf = ({ losses, measurements, weights }: Update): Transferable[] =>
  [losses, ...measurements.map(({ scores }) => scores), ...weights].map(({ buffer }) => buffer);

/** Act 3 in the worker: one run at a time. The page asks for every update, so none can pile up. */
export class TrainingService {
  #trainer: Trainer | undefined;

  async start(options: RunOptions): Promise<Start> {
    await ready;
    this.#trainer?.dispose();
    this.#trainer = undefined;
    this.#trainer = new Trainer(options);
    const start = this.#trainer.start();
    return transfer(start, buffersOf(start.update));
  }

  advance(steps: number, milliseconds: number): Update {
    if (this.#trainer === undefined) throw new Error('advance before start');
    const update = this.#trainer.advance(steps, milliseconds);
    return transfer(update, buffersOf(update));
  }
}

/** Act 4 in the worker: studies one after the other, and a session with the model of one of them. */
export class PruningService {
  #running:
    { readonly planted: PlantedModel; readonly steps: ReturnType<typeof study> } | undefined;
  #done = 0;
  #opensSession = false;
  #session: PruningSession | undefined;

  /** Begins the study of a seed, in place of any that is not done. */
  async plant(seed: number, opensSession: boolean): Promise<void> {
    await ready;
    this.#running?.planted.dispose();
    this.#running = undefined;
    const planted = new PlantedModel(seed);
    this.#running = { planted, steps: study(planted, seed) };
    this.#done = 0;
    this.#opensSession = opensSession;
  }

  async advance(milliseconds: number): Promise<Progress> {
    if (this.#running === undefined) throw new Error('advance before plant');
    const running = this.#running;
    const { planted, steps } = running;
    const until = performance.now() + milliseconds;
    do {
      const { done, value } = await steps.next();
      if (running !== this.#running) throw new Error('planted anew');
      if (done === true) {
        this.#running = undefined;
        this.#keep(planted);
        return { done: studySize, total: studySize, study: value };
      }
      this.#done += 1;
    } while (performance.now() < until);
    return { done: this.#done, total: studySize };
  }

  /** The loaded model with these heads pruned. */
  show(pruned: readonly Head[]): SessionState {
    return this.#inUse().show(pruned);
  }

  tryGates(gates: readonly (readonly number[])[]): Attempt {
    return this.#inUse().tryGates(gates);
  }

  #keep(planted: PlantedModel): void {
    if (!this.#opensSession) {
      planted.dispose();
      return;
    }
    this.#session?.dispose();
    this.#session = new PruningSession(planted);
  }

  #inUse(): PruningSession {
    if (this.#session === undefined) throw new Error('no model in the session');
    return this.#session;
  }
}

/** What the page may call. Marked as proxies: the services stay in the worker. */
export interface Services {
  readonly training: TrainingService & ProxyMarked;
  readonly pruning: PruningService & ProxyMarked;
}

import type { Connection } from '../../worker/connection.js';
import { lastStep, type RunOptions } from '../../worker/training.js';
import { RunRecord } from './run-record.js';
import type { Speed } from './state.js';

/** `idle`: no run yet. `making`: the model is on its way. */
export type RunnerState = 'idle' | 'making' | 'paused' | 'running' | 'ended' | 'failed';

interface Listeners {
  /** The run is another one, or has gone on. */
  readonly onChange: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Of one update at full speed: about a frameMs, so that the worker never sends more than one for each. */
const frameMs = 1000 / 60;

/**
 * Drives a run in the worker. Each update is asked for, and the next one only after it: a page that
 * is slow to draw slows the asking, never the other way round.
 */
export class Runner {
  speed: Speed = '60';
  readonly #connection: Connection;
  readonly #listeners: Listeners;
  #record: RunRecord | undefined;
  #state: RunnerState = 'idle';
  /** Grows with every run; answers to an older one are not for this one. */
  #generation = 0;
  /** Grows whenever a run goes on; whatever drove it before then ends. */
  #drive = 0;
  #wake: (() => void) | undefined;

  constructor(connection: Connection, listeners: Listeners) {
    this.#connection = connection;
    this.#listeners = listeners;
  }

  get record(): RunRecord | undefined {
    return this.#record;
  }

  get state(): RunnerState {
    return this.#state;
  }

  /** A new run, at rest before its first step. */
  async begin(options: RunOptions): Promise<void> {
    this.#generation += 1;
    const generation = this.#generation;
    this.#wake?.();
    this.#turn('making');
    try {
      const start = await this.#connection.call(({ training }) => training.start(options));
      if (generation !== this.#generation) return;
      this.#record = new RunRecord(options, start);
      this.#turn('paused');
    } catch (error) {
      this.#fail(error, generation);
    }
  }

  async play(): Promise<void> {
    if (this.#state !== 'paused') return;
    this.#turn('running');
    this.#drive += 1;
    const drive = this.#drive;
    while (this.#isRunning() && drive === this.#drive) {
      const asked = performance.now();
      const isFull = this.speed === 'full';
      if (!(await this.#advance(isFull ? lastStep : 1, isFull ? frameMs : Infinity))) return;
      if (!isFull) await this.#pause(asked);
    }
  }

  pause(): void {
    if (this.#state !== 'running') return;
    this.#turn('paused');
    this.#wake?.();
  }

  /** One step; a run that is going on stops after it. */
  async step(): Promise<void> {
    this.pause();
    if (this.#state === 'paused') await this.#advance(1, Infinity);
  }

  #isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Whether the run can go on. */
  async #advance(steps: number, milliseconds: number): Promise<boolean> {
    const generation = this.#generation;
    try {
      const update = await this.#connection.call(({ training }) =>
        training.advance(steps, milliseconds),
      );
      if (generation !== this.#generation) return false;
      this.#record?.add(update);
      if (update.step >= lastStep) this.#turn('ended');
      else this.#listeners.onChange();
      return true;
    } catch (error) {
      this.#fail(error, generation);
      return false;
    }
  }

  /** Until the next step is due; changes of speed and of state end it. */
  #pause(asked: number): Promise<void> {
    return new Promise((resolve) => {
      const due = asked + 1000 / Number(this.speed);
      const look = (): void => {
        if (this.#wake !== done) return;
        if (this.speed === 'full' || performance.now() + frameMs / 2 >= due) done();
        else requestAnimationFrame(look);
      };
      const done = (): void => {
        this.#wake = undefined;
        resolve();
      };
      this.#wake = done;
      requestAnimationFrame(look);
    });
  }

  #fail(error: unknown, generation: number): void {
    if (generation !== this.#generation) return;
    this.#turn('failed');
    this.#listeners.onFailure(error);
  }

  #turn(state: RunnerState): void {
    this.#state = state;
    this.#listeners.onChange();
  }
}

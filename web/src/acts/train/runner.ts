import type { Connection } from '../../worker/connection.js';
import { RunDriver, type RunListeners, type RunState } from '../../worker/run-driver.js';
import { lastStep, type RunOptions, type Update } from '../../worker/training.js';
import { RunRecord } from './run-record.js';
import type { Speed } from './state.js';

/** Of one update at full speed: about a frameMs, so that the worker never sends more than one for each. */
const frameMs = 1000 / 60;

/** Drives a run of the act, as fast as the reader wants it. */
export class Runner extends RunDriver<RunOptions, Update> {
  speed: Speed = '60';
  #record: RunRecord | undefined;
  #wake: (() => void) | undefined;

  constructor(connection: Connection, listeners: RunListeners) {
    super(connection, listeners, lastStep);
  }

  get record(): RunRecord | undefined {
    return this.#record;
  }

  protected async start(options: RunOptions): Promise<() => void> {
    const start = await this.connection.call(({ training }) => training.start(options));
    return () => {
      this.#record = new RunRecord(options, start);
    };
  }

  protected update(steps: number, milliseconds: number): Promise<Update> {
    return this.connection.call(({ training }) => training.advance(steps, milliseconds));
  }

  protected add(update: Update): void {
    this.#record?.add(update);
  }

  protected async goOn(): Promise<boolean> {
    const asked = performance.now();
    const isFull = this.speed === 'full';
    if (!(await this.advance(isFull ? lastStep : 1, isFull ? frameMs : Infinity))) return false;
    if (!isFull) await this.#untilDue(asked);
    return true;
  }

  protected override turn(state: RunState): void {
    super.turn(state);
    if (state !== 'running') this.#wake?.();
  }

  /** Until the next step is due; changes of speed and of state end it. */
  #untilDue(asked: number): Promise<void> {
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
}

import type { RunActions } from '../ui/controls/playback.js';
import type { Connection } from './connection.js';

/** `idle`: no run yet. `making`: the model is on its way. */
export type RunState = 'idle' | 'making' | 'paused' | 'running' | 'ended' | 'failed';

export interface RunListeners {
  /** The run is another one, has gone on, or shows something else. */
  readonly onChange: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Of one update on the way to a step: long enough that answers are few, short enough that the page shows the way. */
const approachMs = 40;

/**
 * Drives a training run in the worker. Each update is asked for, and the next one only after it: a
 * page that is slow to draw slows the asking, never the other way round.
 */
export abstract class RunDriver<Options, Update extends { readonly step: number }> {
  protected readonly connection: Connection;
  readonly #listeners: RunListeners;
  readonly #lastStep: number;
  #state: RunState = 'idle';
  /** Grows with every run; answers to an older one are not for this one. */
  #generation = 0;
  /** Grows whenever a run goes on; whatever drove it before then ends. */
  #drive = 0;
  #stepNow = 0;
  /** Where a run that goes on pauses. */
  #until: number | undefined;

  /** @param lastStep the one with which a run ends */
  constructor(connection: Connection, listeners: RunListeners, lastStep: number) {
    this.connection = connection;
    this.#listeners = listeners;
    this.#lastStep = lastStep;
  }

  get state(): RunState {
    return this.#state;
  }

  /** A new run, at rest before its first step. */
  async begin(options: Options): Promise<void> {
    this.#generation += 1;
    this.turn('making');
    await this.ask(
      () => this.start(options),
      (take) => {
        this.#stepNow = 0;
        take();
        this.turn('paused');
      },
    );
  }

  async play(): Promise<void> {
    if (this.#state !== 'paused') return;
    this.turn('running');
    this.#drive += 1;
    const drive = this.#drive;
    while (this.#isRunning() && drive === this.#drive) {
      if (!(await (this.#until === undefined ? this.goOn() : this.#approach(this.#until)))) return;
    }
  }

  /** Goes on at full speed until a step is reached, then pauses; nothing if it is passed already. */
  async reach(step: number): Promise<void> {
    if (this.#state !== 'paused' || step <= this.#stepNow) return;
    this.#until = step;
    await this.play();
  }

  pause(): void {
    if (this.#state === 'running') this.turn('paused');
  }

  /** One step; a run that is going on stops after it. */
  async step(): Promise<void> {
    this.pause();
    if (this.#state === 'paused') await this.advance(1, Infinity);
  }

  /** Makes the model; what it gives is called if no other run has been begun meanwhile. */
  protected abstract start(options: Options): Promise<() => void>;

  /** Asks the worker for some steps, fewer if they take longer than that. */
  protected abstract update(steps: number, milliseconds: number): Promise<Update>;

  protected abstract add(update: Update): void;

  /** One update while the run goes on, and the wait for the next. Whether the run can go on. */
  protected abstract goOn(): Promise<boolean>;

  protected async advance(steps: number, milliseconds: number): Promise<boolean> {
    return this.ask(
      () => this.update(steps, milliseconds),
      (update) => {
        this.#stepNow = update.step;
        this.add(update);
        if (update.step >= this.#lastStep) this.turn('ended');
        else this.changed();
      },
    );
  }

  /** Takes an answer of the worker if the run is still the same. Whether it was taken. */
  protected async ask<Answer>(
    question: () => Promise<Answer>,
    take: (answer: Answer) => void,
  ): Promise<boolean> {
    const generation = this.#generation;
    try {
      const answer = await question();
      if (generation !== this.#generation) return false;
      take(answer);
      return true;
    } catch (error) {
      if (generation === this.#generation) {
        this.turn('failed');
        this.#listeners.onFailure(error);
      }
      return false;
    }
  }

  protected turn(state: RunState): void {
    if (state !== 'running') this.#until = undefined;
    this.#state = state;
    this.changed();
  }

  protected changed(): void {
    this.#listeners.onChange();
  }

  async #approach(step: number): Promise<boolean> {
    if (!(await this.advance(step - this.#stepNow, approachMs))) return false;
    if (this.#stepNow >= step) this.pause();
    return true;
  }

  #isRunning(): boolean {
    return this.#state === 'running';
  }
}

/**
 * The first press makes the run, if there is none.
 *
 * @param options of the run to begin, asked when it is begun
 * @param onGoOn called before the run begins or goes on
 */
export function createRunControl<Options>(
  run: Pick<RunDriver<Options, never>, 'begin' | 'pause' | 'play' | 'state' | 'step'>,
  notice: { clear(): void },
  options: () => Options,
  onGoOn: () => void,
) {
  let beginning: Promise<void> | undefined;
  const begin = (): void => {
    notice.clear();
    beginning = run.begin(options());
  };
  /** Until there is a run: the present one, unless it failed. */
  const ensureBegun = async (): Promise<void> => {
    if (run.state === 'idle' || run.state === 'failed') begin();
    await beginning;
  };
  const goOn = (act: () => void) => (): void => {
    onGoOn();
    act();
  };
  const actions: RunActions = {
    onPlay: goOn(() => void ensureBegun().then(() => run.play())),
    onPause: () => run.pause(),
    onStep: goOn(() => void ensureBegun().then(() => run.step())),
    onAgain: goOn(begin),
  };
  return { begin, ensureBegun, actions };
}

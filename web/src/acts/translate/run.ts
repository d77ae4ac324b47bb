import {
  type AlignmentMeasurement,
  type AlignmentOptions,
  type AlignmentUpdate,
  type DateReading,
  lastAlignmentStep,
} from '../../worker/alignment.js';
import { coalesce, type Connection } from '../../worker/connection.js';
import { isoLength, maxDateLength } from '../../worker/dates.js';
import { RunDriver, type RunListeners } from '../../worker/run-driver.js';

/** All that is known of a run so far. */
export interface AlignRecord {
  readonly options: AlignmentOptions;
  /** Of step 1 on. */
  readonly losses: number[];
  readonly measurements: AlignmentMeasurement[];
  /** What the model read after each update. */
  readonly readings: { readonly step: number; readonly reading: DateReading }[];
  step: number;
  reading: DateReading;
}

/** A run as it is saved: what the model read with the shape of its weights. */
export function dataOf({ reading, readings: _all, ...record }: AlignRecord): unknown {
  const shape = [record.options.heads, isoLength, maxDateLength];
  return { ...record, reading: { ...reading, weights: { shape, data: reading.weights } } };
}

/** Of one update: longer than a frame, since a step alone takes most of one. */
const updateMs = 40;

/** Drives a run of the act at full speed, and has the model read the reader's date. */
export class AlignRun extends RunDriver<AlignmentOptions, AlignmentUpdate> {
  readonly #read: (text: string) => void;
  #text: string;
  #record: AlignRecord | undefined;

  constructor(connection: Connection, text: string, listeners: RunListeners) {
    super(connection, listeners, lastAlignmentStep);
    this.#text = text;
    this.#read = coalesce((wanted) => this.#askFor(wanted));
  }

  get record(): AlignRecord | undefined {
    return this.#record;
  }

  /** Shows what the model makes of a text, now and with every update. */
  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    if (this.#record !== undefined && this.state !== 'making') this.#read(text);
  }

  protected async start(options: AlignmentOptions): Promise<() => void> {
    const text = this.#text;
    const update = await this.connection.call(({ alignment }) => alignment.start(options, text));
    return () => {
      const { step, reading } = update;
      this.#record = { options, losses: [], measurements: [], readings: [], step, reading };
      this.add(update);
      if (text !== this.#text) this.#read(this.#text);
    };
  }

  protected update(steps: number, milliseconds: number): Promise<AlignmentUpdate> {
    return this.connection.call(({ alignment }) => alignment.advance(steps, milliseconds));
  }

  protected add({ step, losses, measurements, reading }: AlignmentUpdate): void {
    if (this.#record === undefined) return;
    this.#record.step = step;
    this.#record.reading = reading;
    this.#record.readings.push({ step, reading });
    this.#record.losses.push(...losses);
    this.#record.measurements.push(...measurements);
  }

  protected async goOn(): Promise<boolean> {
    if (!(await this.advance(lastAlignmentStep, updateMs))) return false;
    await nextFrame();
    return true;
  }

  async #askFor(text: string): Promise<void> {
    await this.ask(
      () => this.connection.call(({ alignment }) => alignment.read(text)),
      (reading) => {
        if (this.#record === undefined) return;
        this.#record.reading = reading;
        this.changed();
      },
    );
  }
}

const nextFrame = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => {
      resolve();
    });
  });

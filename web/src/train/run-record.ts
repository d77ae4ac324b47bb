import type { Head } from '../lab/heads.js';
import {
  scoreNames,
  type Measurement,
  type RunOptions,
  type Start,
  type Update,
} from '../lab/run.js';
import { RoleWatch, type RoleEvent } from './roles.js';

/** Where the goal of the act is reached. */
const goal = 0.99;

/** All that is known of a run so far. */
export class RunRecord {
  readonly options: RunOptions;
  readonly start: Start;
  readonly places: readonly Head[];
  /** Of step 1 on. */
  readonly losses: number[] = [];
  readonly measurements: Measurement[] = [];
  readonly events: RoleEvent[] = [];
  weights: readonly Float32Array[] = [];
  step = 0;
  /** The first measured step at which enough answers are right. */
  goalStep: number | undefined;
  readonly #watches: readonly RoleWatch[];

  constructor(options: RunOptions, start: Start) {
    const { layers, heads, task } = options;
    this.options = options;
    this.start = start;
    this.places = Array.from({ length: layers * heads }, (_, i) => ({
      layer: Math.floor(i / heads),
      head: i % heads,
    }));
    this.#watches = this.places.map((place) => new RoleWatch(place, heads, task));
    this.add(start.update);
  }

  /** Takes an update in and tells the events that came with it. */
  add({ step, losses, measurements, weights }: Update): readonly RoleEvent[] {
    this.step = step;
    this.weights = weights;
    this.losses.push(...losses);
    this.measurements.push(...measurements);
    const events = measurements.flatMap((measurement) => {
      if (measurement.accuracy >= goal) this.goalStep ??= measurement.step;
      return this.#watches.flatMap((watch) => watch.see(measurement));
    });
    this.events.push(...events);
    return events;
  }

  /** All of it as plain numbers, to be saved. */
  get data(): unknown {
    const { options, step, losses, measurements, events, weights, start } = this;
    const tokens = [...start.tokens];
    return { options, step, losses, measurements, events, scoreNames, tokens, weights };
  }

  get latest(): Measurement | undefined {
    return this.measurements.at(-1);
  }

  /** The role of each head now, in the order of `places`. */
  get roles(): readonly RoleWatch['role'][] {
    return this.#watches.map(({ role }) => role);
  }
}

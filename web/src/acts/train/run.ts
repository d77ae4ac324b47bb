import { shapedWeights } from '../../attention/heads-element.js';
import type { Connection } from '../../worker/connection.js';
import { clearLead, type Head, headsOf, sameHead } from '../../worker/heads.js';
import {
  lastStep,
  measureEvery,
  type Measurement,
  type RunOptions,
  type ScoreName,
  scoreNames,
  type Start,
  type TaskName,
  unpackMaps,
  type Update,
} from '../../worker/training.js';
import { RunDriver, type RunListeners, type RunState } from '../../worker/run-driver.js';
import type { Pinned, Speed } from './state.js';

/** Where the goal of the act is reached. */
const goal = 0.99;

/**
 * A head takes a role when this share of its weight follows the role's pattern; in an untrained head
 * the share is below a quarter. The previous token needs less: in induction, no head looks back at a
 * third of the positions, so nothing teaches a head where to look from there.
 */
export const enough = (name: ScoreName): number => (name === 'previousToken' ? 0.3 : 0.4);
/** Well below, lest a head that wavers take the same role time and again. */
export const tooLittle = 0.2;
/** For the same reason a head keeps its role while it leads the others by this. */
const littleLead = clearLead / 2;

/** What heads can be seen to do in a task: the right key goes by a name of its own where it has one. */
export const scoresOf = (task: TaskName): readonly ScoreName[] => {
  if (task === 'previous') return ['previousToken', 'firstToken'];
  return [task === 'induction' ? 'induction' : 'rightKey', 'previousToken', 'firstToken'];
};

/** A head that takes a role, or leaves it. */
export interface RoleEvent {
  readonly step: number;
  readonly place: Head;
  readonly score: ScoreName;
  readonly kind: 'took' | 'left';
}

/** A run as it was after a step: the last one, or one before that was measured. */
export interface Moment {
  readonly step: number;
  /** The last one until then. */
  readonly measurement: Measurement;
  /** Of the shown sequence, one a layer: (heads, length, length). */
  readonly weights: readonly Float32Array[];
  /** In the order of `RunRecord.places`. */
  readonly roles: readonly (ScoreName | undefined)[];
  /** Whether it is the present one, which changes as the run goes on. */
  readonly isNow: boolean;
}

/** All that is known of a run so far. */
export class RunRecord {
  readonly options: RunOptions;
  readonly start: Start;
  readonly places: readonly Head[];
  /** Tokens of the shown sequence. */
  readonly length: number;
  /** What heads are measured for. */
  readonly scores: readonly ScoreName[];
  /** Of step 1 on. */
  readonly losses: number[] = [];
  readonly measurements: Measurement[] = [];
  readonly events: RoleEvent[] = [];
  weights: readonly Float32Array[] = [];
  step = 0;
  /** The first measured step at which enough answers are right. */
  goalStep: number | undefined;
  /** The role of each head now, in the order of `places`. */
  readonly roles: (ScoreName | undefined)[];
  #past: Moment | undefined;

  constructor(options: RunOptions, start: Start) {
    const { layers, heads, task } = options;
    this.options = options;
    this.start = start;
    this.places = headsOf(Array.from({ length: layers }, () => heads));
    this.length = start.tokens.length;
    this.scores = scoresOf(task);
    this.roles = this.places.map(() => undefined);
    this.add(start.update);
  }

  add({ step, losses, measurements, weights }: Update): void {
    this.step = step;
    this.weights = weights;
    this.losses.push(...losses);
    this.measurements.push(...measurements);
    for (const measurement of measurements) {
      if (measurement.accuracy >= goal) this.goalStep ??= measurement.step;
      this.places.forEach((place, i) => {
        const event = this.#eventOf(measurement, place, this.roles[i]);
        if (event === undefined) return;
        this.events.push(event);
        this.roles[i] = event.kind === 'took' ? event.score : undefined;
      });
    }
  }

  /** All of it as plain numbers, to be saved. */
  get data(): unknown {
    const { options, step, losses, events, start } = this;
    const tokens = [...start.tokens];
    const weights = shapedWeights(this.weights, tokens.length);
    const measurements = this.measurements.map(({ maps: _maps, ...numbers }) => numbers);
    return { options, step, losses, measurements, events, scoreNames, tokens, weights };
  }

  /** The share of a head's weight that follows a pattern. */
  scoreAt({ scores }: Measurement, { layer, head }: Head, name: ScoreName): number {
    const place = layer * this.options.heads + head;
    return scores[place * scoreNames.length + scoreNames.indexOf(name)] ?? NaN;
  }

  /** The weights of one head for the shown sequence: (length, length). */
  mapOf({ weights }: Moment, { layer, head }: Head): Float32Array {
    const area = this.length ** 2;
    return weights[layer].subarray(head * area, (head + 1) * area);
  }

  /** The run at a step, or the measured one before it; now for a step that it has not passed, or `undefined`. */
  momentAt(step: number | undefined): Moment {
    if (step !== undefined && step < this.step) return this.#momentOf(step);
    const { step: now, weights, roles } = this;
    const measurement = this.measurements[this.measurements.length - 1];
    return { step: now, measurement, weights, roles, isNow: true };
  }

  /** The measured steps are equally far apart, from 0 on. */
  #momentOf(step: number): Moment {
    const measurement = this.measurements[Math.floor(step / measureEvery)];
    if (this.#past?.measurement === measurement) return this.#past;
    const { layers, heads } = this.options;
    this.#past = {
      step: measurement.step,
      measurement,
      weights: unpackMaps(measurement.maps, layers, heads, this.length),
      roles: this.places.map((place) => this.#roleAt(place, measurement.step)),
      isNow: false,
    };
    return this.#past;
  }

  /** The role that a head had after a step. */
  #roleAt(place: Head, step: number): ScoreName | undefined {
    const last = this.events
      .filter((event) => event.step <= step && sameHead(event.place, place))
      .at(-1);
    return last?.kind === 'took' ? last.score : undefined;
  }

  /** What a measurement changes about a head that has had the role `old`. */
  #eventOf(
    measurement: Measurement,
    place: Head,
    old: ScoreName | undefined,
  ): RoleEvent | undefined {
    const { step } = measurement;
    const at = (name: ScoreName): number => this.scoreAt(measurement, place, name);
    const [best, next] = [...this.scores].sort((a, b) => at(b) - at(a));
    const lead = at(best) - at(next);
    if (at(best) >= enough(best) && lead >= clearLead && best !== old)
      return { step, place, score: best, kind: 'took' };
    if (old !== undefined && (at(old) < tooLittle || best !== old || lead < littleLead))
      return { step, place, score: old, kind: 'left' };
    return undefined;
  }
}

/** A run as it was when it was pinned: the run itself may go on. */
export interface RunSummary extends Pinned {
  /** On unseen sequences, when last measured. */
  readonly accuracy: number;
  readonly goalStep: number | undefined;
  /** Steps and losses on unseen sequences. */
  readonly points: readonly (readonly [step: number, loss: number])[];
}

export const summaryOf = ({ options, step, goalStep, measurements }: RunRecord): RunSummary => ({
  ...{ options, step, goalStep },
  accuracy: measurements.at(-1)?.accuracy ?? 0,
  points: measurements.map((measured) => [measured.step, measured.loss]),
});

/** From this step on a run can be called slow: several times what the slowest that learn their task take. */
const late = 1000;

/** Whether a single layer can do the work of several: two runs that differ in nothing else, and the deeper one reached the goal. */
export function comparisonOf(
  a: RunSummary,
  b: RunSummary,
): { readonly one: RunSummary; readonly more: RunSummary } | undefined {
  const [one, more] = a.options.layers < b.options.layers ? [a, b] : [b, a];
  const isAlike =
    JSON.stringify({ ...one.options, layers: more.options.layers }) ===
    JSON.stringify(more.options);
  const isPair = isAlike && one.options.layers === 1 && more.options.layers > 1;
  const isPlain = one.goalStep !== undefined || one.step >= late;
  return isPair && isPlain && more.goalStep !== undefined ? { one, more } : undefined;
}

/** Of one update at full speed: about a frame, so that the worker never sends more than one for each. */
const frameMs = 1000 / 60;

/** Drives a run of the act, as fast as the reader wants it. */
export class Runner extends RunDriver<RunOptions, Update> {
  speed: Speed = '60';
  record: RunRecord | undefined;
  #wake: (() => void) | undefined;

  constructor(connection: Connection, listeners: RunListeners) {
    super(connection, listeners, lastStep);
  }

  protected async start(options: RunOptions): Promise<() => void> {
    const start = await this.connection.call(({ training }) => training.start(options));
    return () => {
      this.record = new RunRecord(options, start);
    };
  }

  protected update(steps: number, milliseconds: number): Promise<Update> {
    return this.connection.call(({ training }) => training.advance(steps, milliseconds));
  }

  protected add(update: Update): void {
    this.record?.add(update);
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

import { shapedWeights } from '../../attention/heads-element.js';
import { clearLead, type Head, sameHead } from '../../worker/heads.js';
import { unpackMaps } from '../../worker/packed-maps.js';
import type { TaskName } from '../../worker/tasks.js';
import {
  measureEvery,
  type Measurement,
  type RunOptions,
  type ScoreName,
  scoreNames,
  type Start,
  type Update,
} from '../../worker/training.js';

/** Where the goal of the act is reached. */
const goal = 0.99;

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
  /** Of step 1 on. */
  readonly losses: number[] = [];
  readonly measurements: Measurement[] = [];
  readonly events: RoleEvent[] = [];
  weights: readonly Float32Array[] = [];
  step = 0;
  /** The first measured step at which enough answers are right. */
  goalStep: number | undefined;
  readonly #watches: readonly RoleWatch[];
  #past: Moment | undefined;

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

  /** Adds an update and returns its events. */
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
    const { options, step, losses, events, start } = this;
    const tokens = [...start.tokens];
    const weights = shapedWeights(this.weights, tokens.length);
    const measurements = this.measurements.map(({ maps: _maps, ...numbers }) => numbers);
    return { options, step, losses, measurements, events, scoreNames, tokens, weights };
  }

  get latest(): Measurement | undefined {
    return this.measurements.at(-1);
  }

  /** The role of each head now, in the order of `places`. */
  get roles(): readonly RoleWatch['role'][] {
    return this.#watches.map(({ role }) => role);
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
      weights: unpackMaps(measurement.maps, layers, heads, this.start.tokens.length),
      roles: this.places.map((place) => roleAt(this.events, place, measurement.step)),
      isNow: false,
    };
    return this.#past;
  }
}

/** The role that a head had after a step. */
function roleAt(events: readonly RoleEvent[], place: Head, step: number): ScoreName | undefined {
  const last = events.filter((event) => event.step <= step && sameHead(event.place, place)).at(-1);
  return last?.kind === 'took' ? last.score : undefined;
}

/** A head that takes a role, or leaves it. */
export interface RoleEvent {
  readonly step: number;
  readonly place: Head;
  readonly score: ScoreName;
  readonly kind: 'took' | 'left';
}

/**
 * A head takes a role when this share of its weight follows the pattern, of which an untrained one
 * gives it less than a quarter. The token before needs less: in induction a third of the positions
 * is never looked back at, and nothing teaches a head where to look from there.
 */
export const enough = (name: ScoreName): number => (name === 'previousToken' ? 0.3 : 0.4);
/** Well below, lest a head that wavers take the same role time and again. */
export const tooLittle = 0.2;
/** For the same reason a head keeps its role while it leads the others by this. */
const littleLead = clearLead / 2;

/** What heads can be seen to do in a task: the right key goes by a name of its own where it has one. */
export const scoresOf: Readonly<Record<TaskName, readonly ScoreName[]>> = {
  induction: ['induction', 'previousToken', 'firstToken'],
  recall: ['rightKey', 'previousToken', 'firstToken'],
  sort: ['rightKey', 'previousToken', 'firstToken'],
  reverse: ['rightKey', 'previousToken', 'firstToken'],
  copy: ['rightKey', 'previousToken', 'firstToken'],
  previous: ['previousToken', 'firstToken'],
};

export function scoreAt(
  { scores }: Measurement,
  heads: number,
  { layer, head }: Head,
  name: ScoreName,
): number {
  const place = (layer * heads + head) * scoreNames.length + scoreNames.indexOf(name);
  return scores[place] ?? NaN;
}

/** Follows one head from measurement to measurement. */
export class RoleWatch {
  readonly place: Head;
  readonly #heads: number;
  readonly #task: TaskName;
  #role: ScoreName | undefined;

  constructor(place: Head, heads: number, task: TaskName) {
    this.place = place;
    this.#heads = heads;
    this.#task = task;
  }

  /** The role that the head has now. */
  get role(): ScoreName | undefined {
    return this.#role;
  }

  /** What this measurement changes: nothing, or one event. */
  see(measurement: Measurement): RoleEvent[] {
    const { place } = this;
    const { step } = measurement;
    const at = (name: ScoreName): number => scoreAt(measurement, this.#heads, place, name);
    const [best, next] = [...scoresOf[this.#task]].sort((a, b) => at(b) - at(a));
    const lead = at(best) - at(next);
    const events: RoleEvent[] = [];
    const old = this.#role;
    if (at(best) >= enough(best) && lead >= clearLead && best !== old) {
      this.#role = best;
      events.push({ step, place, score: best, kind: 'took' });
    } else if (old !== undefined && (at(old) < tooLittle || best !== old || lead < littleLead)) {
      this.#role = undefined;
      events.push({ step, place, score: old, kind: 'left' });
    }
    return events;
  }
}

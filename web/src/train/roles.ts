import { scoreNames, type Measurement, type ScoreName } from '../lab/run.js';
import type { Head } from '../lab/heads.js';
import type { TaskName } from '../lab/tasks.js';

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
const enough = (name: ScoreName): number => (name === 'previousToken' ? 0.3 : 0.4);
/** Well below, lest a head that wavers take the same role time and again. */
const tooLittle = 0.2;

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

  /** What this measurement changes: nothing, or one event, or two where one role follows another. */
  see(measurement: Measurement): RoleEvent[] {
    const { place } = this;
    const { step } = measurement;
    const at = (name: ScoreName): number => scoreAt(measurement, this.#heads, place, name);
    const best = scoresOf[this.#task].reduce((a, b) => (at(b) > at(a) ? b : a));
    const events: RoleEvent[] = [];
    const old = this.#role;
    if (at(best) >= enough(best) && best !== old) {
      this.#role = best;
      events.push({ step, place, score: best, kind: 'took' });
    } else if (old !== undefined && at(old) < tooLittle) {
      this.#role = undefined;
      events.push({ step, place, score: old, kind: 'left' });
    }
    return events;
  }
}

import { range } from 'd3-array';

import { formatPercent } from '../../format/numbers.js';
import { joinSentences, listOf, quoted } from '../../format/sentences.js';
import {
  type AlignmentMeasurement,
  type AlignmentOptions,
  type AlignmentUpdate,
  type DateReading,
  lastAlignmentStep,
} from '../../worker/alignment.js';
import { coalesce, type Connection } from '../../worker/connection.js';
import {
  type DateQuestion,
  isoLength,
  maxDateLength,
  parts,
  questionOf,
} from '../../worker/dates.js';
import { clearLead } from '../../worker/heads.js';
import { RunDriver, type RunListeners } from '../../worker/run-driver.js';
import { words } from './words.js';

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

/** What the views show of a run: the date that was read last, and the weights of every head. */
export interface Shown {
  readonly text: string;
  readonly answer: string;
  /** What the text asks, if it is a date. */
  readonly question: DateQuestion | undefined;
  readonly heads: number;
  /** All counted from 0. */
  readonly weightOf: (head: number, query: number, key: number) => number;
  /** What each head attends to most from a query. */
  readonly sentenceOf: (query: number) => string;
}

export function shownOf({ reading, options: { heads } }: AlignRecord): Shown {
  const { text, answer, weights } = reading;
  const weightOf = (head: number, query: number, key: number): number =>
    weights[(head * isoLength + query) * maxDateLength + key] ?? NaN;
  const named = (character: string): string =>
    character === ' ' ? words.space : quoted(character);
  const attended = (head: number, query: number): string => {
    const key = range(text.length).reduce((best, each) =>
      weightOf(head, query, each) > weightOf(head, query, best) ? each : best,
    );
    const share = formatPercent(weightOf(head, query, key));
    return words.attends(head + 1, `${named(text.charAt(key))} (${key + 1})`, share);
  };
  const question = questionOf(text);
  const sentenceOf = (query: number): string => {
    const attentions = range(heads).map((head) => attended(head, query));
    const [character, expected] = [answer.charAt(query), question?.answer.charAt(query)];
    const isWrong = expected !== undefined && expected !== character;
    const right = isWrong ? named(expected) : undefined;
    return words.query(query + 1, named(character), listOf(attentions), right);
  };
  return { text, answer, question, heads, weightOf, sentenceOf };
}

/** A space as the views draw it. */
export const signOf = (character: string): string => (character === ' ' ? '␣' : character);

/** Of one update: longer than a frame, since a step alone takes most of one. */
const updateMs = 40;

/** Drives a run of the act at full speed, and has the model read the reader's date. */
export class AlignRun extends RunDriver<AlignmentOptions, AlignmentUpdate> {
  record: AlignRecord | undefined;
  readonly #read: (text: string) => void;
  #text: string;

  constructor(connection: Connection, text: string, listeners: RunListeners) {
    super(connection, listeners, lastAlignmentStep);
    this.#text = text;
    this.#read = coalesce((wanted) => this.#askFor(wanted));
  }

  /** Shows what the model makes of a text, now and with every update. */
  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    if (this.record !== undefined && this.state !== 'making') this.#read(text);
  }

  protected async start(options: AlignmentOptions): Promise<() => void> {
    const text = this.#text;
    const update = await this.connection.call(({ alignment }) => alignment.start(options, text));
    return () => {
      const { step, reading } = update;
      this.record = { options, losses: [], measurements: [], readings: [], step, reading };
      this.add(update);
      if (text !== this.#text) this.#read(this.#text);
    };
  }

  protected update(steps: number, milliseconds: number): Promise<AlignmentUpdate> {
    return this.connection.call(({ alignment }) => alignment.advance(steps, milliseconds));
  }

  protected add({ step, losses, measurements, reading }: AlignmentUpdate): void {
    if (this.record === undefined) return;
    Object.assign(this.record, { step, reading });
    this.record.readings.push({ step, reading });
    this.record.losses.push(...losses);
    this.record.measurements.push(...measurements);
  }

  protected async goOn(): Promise<boolean> {
    if (!(await this.advance(lastAlignmentStep, updateMs))) return false;
    await new Promise(requestAnimationFrame);
    return true;
  }

  async #askFor(text: string): Promise<void> {
    await this.ask(
      () => this.connection.call(({ alignment }) => alignment.read(text)),
      (reading) => {
        if (this.record === undefined) return;
        this.record.reading = reading;
        this.changed();
      },
    );
  }
}

/** From here on a run has learnt its task. */
const enoughRight = 0.95;
/** From here on a head is said to read a part; one with uniform weights has at most a third. */
const enoughAligned = 0.5;

export const alignmentAt = (
  { alignment }: AlignmentMeasurement,
  head: number,
  part: number,
): number => alignment[head * parts.length + part] ?? NaN;

/** The share of a head's weight that is where it should be, of all parts alike. */
export const meanAlignment = (measurement: AlignmentMeasurement, head: number): number =>
  parts.reduce((sum, _part, i) => sum + alignmentAt(measurement, head, i), 0) / parts.length;

/**
 * Which heads read each part of the date: all that do, the best first, and whether the best is a specialist, which leads
 * every other head, or uniform weights if it is the only one.
 */
export function readingOf(measurement: AlignmentMeasurement, heads: number) {
  return parts.map((part, i) => {
    const ranked = range(heads)
      .map((head) => ({ head, share: alignmentAt(measurement, head, i) }))
      .sort((a, b) => b.share - a.share);
    const [best, next] = ranked;
    const readers = ranked.filter(({ share }) => share >= enoughAligned);
    const lead = best.share - (heads > 1 ? next.share : measurement.uniform[i]);
    return { part, best, readers, isSpecialist: readers.length > 0 && lead >= clearLead };
  });
}

/** The first measured step at which a run had learnt its task, if it has. */
export const learntAt = ({ measurements }: AlignRecord): number | undefined =>
  measurements.find(({ accuracy }) => accuracy >= enoughRight)?.step;

/** What a run has come to; `undefined` before it has learnt its task or ended. */
export function findingOf(record: AlignRecord, hasEnded: boolean) {
  const latest = record.measurements.at(-1);
  if (latest === undefined) return undefined;
  const { step, accuracy } = latest;
  // Accuracy may waver after that.
  const hasLearnt = learntAt(record) !== undefined;
  if (!hasLearnt && !hasEnded) return undefined;
  return { step, accuracy, hasLearnt, reading: readingOf(latest, record.options.heads) };
}

/** The finding in words; empty while there is none. */
export function verdictOf(record: AlignRecord, hasEnded: boolean): string {
  const finding = findingOf(record, hasEnded);
  if (finding === undefined) return '';
  const { step, accuracy, hasLearnt, reading } = finding;
  const { verdict, parts } = words;
  const isElsewhere = hasLearnt && reading.every(({ readers }) => readers.length === 0);
  return joinSentences([
    (hasLearnt ? verdict.learnt : verdict.notLearnt)(formatPercent(accuracy), step),
    ...reading.map(({ part, best, readers, isSpecialist }) => {
      const share = formatPercent(best.share);
      if (isSpecialist) return verdict.specialist(parts[part], best.head + 1, share);
      if (readers.length < 2) return verdict.none(parts[part], best.head + 1, share);
      const heads = readers.map((reader) =>
        verdict.share(reader.head + 1, formatPercent(reader.share)),
      );
      return verdict.shared(parts[part], listOf(heads));
    }),
    ...(isElsewhere ? [verdict.elsewhere] : []),
  ]);
}

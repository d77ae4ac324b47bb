import { range } from 'd3-array';

import { formatPercent } from '../../format/numbers.js';
import { listOf, quoted } from '../../format/sentences.js';
import { type DateQuestion, isoLength, maxDateLength, questionOf } from '../../worker/dates.js';
import type { AlignRecord } from './run.js';
import { words } from './words.js';

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

export function shownOf({ reading, options }: AlignRecord): Shown {
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
    const attentions = range(options.heads).map((head) => attended(head, query));
    const [character, expected] = [answer.charAt(query), question?.answer.charAt(query)];
    const sentence = words.query(query + 1, named(character), listOf(attentions));
    return expected === undefined || expected === character
      ? words.right(sentence)
      : words.wrong(sentence, named(expected));
  };
  return { text, answer, question, heads: options.heads, weightOf, sentenceOf };
}

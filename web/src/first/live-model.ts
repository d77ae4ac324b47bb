import { proxy } from 'comlink';

import { joinSentences } from '../format/sentences.js';
import { coalesce, Connection } from '../worker/connection.js';
import type { ModelDescription, TextRun } from '../worker/language-model.js';
import { createWorkerNotice } from '../worker/notice.js';
import { builtIn, type Reading } from './reading.js';
import { words } from './words.js';

export interface LiveModel {
  /** Says what became of its worker, where that is not as usual. */
  readonly notice: HTMLElement;
  /** Begins to load the model, unless it is there. */
  load(): void;
  /** Answers to `onReading`, if no other text was asked for meanwhile. */
  read(text: string): void;
}

/** A sentence that the model has read. */
export interface LiveReading extends Reading {
  /** What there is to say of it. */
  readonly said: string;
}

interface Listeners {
  readonly onProgress: (bytes: number) => void;
  readonly onReading: (reading: LiveReading) => void;
}

/** The language model in a worker of its own: loaded, as this file is, once a reader writes. */
export function createLiveModel({ onProgress, onReading }: Listeners): LiveModel {
  let loaded: Promise<ModelDescription> | undefined;
  let wish: string | undefined;
  const notice = createWorkerNotice(() => {
    loaded = undefined;
    connection.giveUp();
    if (wish === undefined) load();
    else ask(wish);
  });
  const connection = new Connection(notice.showSlow);

  const loading = (): Promise<ModelDescription> =>
    (loaded ??= connection.call(({ languageModel }) => languageModel.load(proxy(onProgress))));
  const fail = (error: unknown): void => {
    loaded = undefined;
    notice.showFailure(error);
  };
  function load(): void {
    notice.clear();
    loading().catch(fail);
  }
  const ask = coalesce<string>(async (text) => {
    notice.clear();
    try {
      await loading();
      const run = await connection.call(({ languageModel }) => languageModel.run(text));
      if (run !== undefined) onReading(readingOf(text, run));
    } catch (error) {
      fail(error);
    }
  });

  return {
    notice: notice.root,
    load,
    read(text) {
      wish = text;
      ask(text);
    },
  };
}

/** What the model gives for a text, of the heads that the first screen shows. */
function readingOf(text: string, run: TextRun): LiveReading {
  const { length } = run.tokens;
  const area = length * length;
  const data = new Float32Array(builtIn.heads.length * area);
  builtIn.heads.forEach(({ layer, head }, i) => {
    const ofLayer = run.weights.at(layer);
    if (ofLayer !== undefined) data.set(ofLayer.subarray(head * area, (head + 1) * area), i * area);
  });
  return {
    text,
    tokens: run.tokens.map((token) => token.trim() || token),
    weights: { data, shape: [builtIn.heads.length, length, length] },
    query: length - 1,
    said: describe(run),
  };
}

function describe({ tokens, scores }: TextRun): string {
  const isRepeated = scores.some((ofLayer) =>
    ofLayer.some(({ induction }) => induction !== undefined),
  );
  return joinSentences([
    words.read(tokens.length),
    ...(tokens.some((token) => /^[\p{L}\p{N}]/u.test(token)) ? [words.pieces] : []),
    ...(isRepeated ? [] : [words.noRepeat(words.roles.followed)]),
  ]);
}

import { loadSafetensors, Transformer } from 'headwise/models';

import heldOutUrl from '../../../examples/language-model/held-out.txt?url';
import configUrl from '../../../examples/language-model/model/config.json?url';
import weightsUrl from '../../../examples/language-model/model/model.safetensors?url';
import tokenizerUrl from '../../../examples/language-model/model/tokenizer.json?url';
import tokenizerConfigUrl from '../../../examples/language-model/model/tokenizer_config.json?url';
import { type Checkpoint, parse } from './checkpoint.js';
import { readRemote } from './remote-file.js';

/** The small model of examples/language-model: files beside the page, loaded when a reader first needs them. */
export async function openBuiltInModel(onProgress: (bytes: number) => void): Promise<Checkpoint> {
  const json = async (url: string): Promise<object> => parse(url, await (await get(url)).text());
  const [weights, config, tokenizer, tokenizerConfig] = await Promise.all([
    get(weightsUrl).then((answer) => readAll(answer, onProgress)),
    json(configUrl),
    json(tokenizerUrl),
    json(tokenizerConfigUrl),
  ]);
  void keepOnly([weightsUrl, configUrl, tokenizerUrl, tokenizerConfigUrl, heldOutUrl]);
  return {
    name: undefined,
    tokenizer,
    tokenizerConfig,
    makeModel: async () =>
      Transformer.fromPretrained({
        config: config as Record<string, unknown>,
        tensors: await loadSafetensors(weights).read(),
      }),
    prefix: ' ',
  };
}

/** A few pages of the text that the model was not trained on. */
export const fetchHeldOut = async (): Promise<string> => (await get(heldOutUrl)).text();

/**
 * Where the files are kept for when there is no network. Not by the service worker, which gets what every visit needs:
 * these are as large as all else together, and for those who use them.
 */
const cacheName = 'language-model';

/** Not there on pages that are not secure; refused in some private windows. */
async function openCache(): Promise<Cache | undefined> {
  try {
    return await caches.open(cacheName);
  } catch {
    return undefined;
  }
}

async function get(url: string): Promise<Response> {
  const cache = await openCache();
  const kept = await cache?.match(url);
  if (kept !== undefined) return kept;
  const answer = await readRemote(url);
  // Room on the disk may be refused.
  cache?.put(url, answer.clone()).catch(() => undefined);
  return answer;
}

/** Files of earlier versions go. */
async function keepOnly(urls: readonly string[]): Promise<void> {
  const cache = await openCache();
  const wanted = new Set(urls.map((url) => new URL(url, self.location.href).href));
  for (const request of (await cache?.keys()) ?? []) {
    if (!wanted.has(request.url)) await cache?.delete(request);
  }
}

async function readAll(
  { body }: Response,
  onProgress: (bytes: number) => void,
): Promise<Uint8Array> {
  const pieces: BlobPart[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece?.value === undefined) break;
    pieces.push(piece.value);
    bytes += piece.value.length;
    onProgress(bytes);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

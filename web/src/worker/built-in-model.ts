import { loadGguf, Transformer } from 'headwise/models';

import modelUrl from '../../../build/model/language-model.gguf?url';
import heldOutUrl from '../../../examples/language-model/held-out.txt?url';
import { type Checkpoint, readRemote } from './checkpoint.js';

/** The small model of examples/language-model: a file beside the page, loaded when a reader first needs it. */
export async function openBuiltInModel(onProgress: (bytes: number) => void): Promise<Checkpoint> {
  const gguf = loadGguf(await readAll(await get(modelUrl), onProgress));
  void keepOnly([modelUrl, heldOutUrl]);
  const { tokenizer, config: tokenizerConfig } = gguf.tokenizer();
  return {
    name: undefined,
    tokenizer,
    tokenizerConfig,
    makeModel: () => Promise.resolve(Transformer.fromPretrained({ gguf })),
    prefix: ' ',
  };
}

/** A few pages of the text that the model was not trained on. */
export const fetchHeldOut = async (): Promise<string> => (await get(heldOutUrl)).text();

/**
 * Where the file is kept for when there is no network. Not by the service worker, which gets what every visit needs:
 * it is as large as all else together, and for those who use it.
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

import type { BlobLike } from 'headwise/models';

import { CheckpointError, refusal } from './checkpoint-error.js';

/**
 * Fetches a file, or a part of it.
 *
 * @throws CheckpointError if the server cannot be reached or refuses; AbortError
 */
export async function readRemote(
  url: URL | string,
  signal?: AbortSignal,
  range?: { readonly begin: number; readonly end: number },
): Promise<Response> {
  const name =
    String(url)
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? '';
  const headers = range && { Range: `bytes=${range.begin}-${range.end - 1}` };
  const response = await fetch(url, {
    ...(signal && { signal }),
    ...(headers && { headers }),
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error instanceof TypeError ? refusal('unreachable', name) : error;
  });
  if (!response.ok) throw refusal('download', name, response.status);
  return response;
}

/** Whether a file was not there. */
export const isGone = (error: unknown): boolean =>
  error instanceof CheckpointError && error.reason === 'download' && error.args[1] === 404;

/** A file at an address. It is read by ranges if the server knows them and tells the size; otherwise as a whole. */
export async function openRemote(url: URL, signal?: AbortSignal): Promise<BlobLike> {
  const first = await readRemote(url, signal, { begin: 0, end: 1 });
  const size = Number(/\/(\d+)$/.exec(first.headers.get('Content-Range') ?? '')?.[1]);
  if (first.status !== 206) return first.blob();
  if (!Number.isFinite(size)) return (await readRemote(url, signal)).blob();
  return {
    size,
    slice: (begin, end) => ({
      async arrayBuffer() {
        const part = await readRemote(url, signal, { begin, end });
        return part.arrayBuffer();
      },
    }),
  };
}

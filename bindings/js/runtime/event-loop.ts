/** Long work between turns of the event loop. */
import { fail, show } from './errors.js';
import { node } from './node.js';

/** Timers and clock as they are when this file loads: fake ones, which tests install later, may never fire. */
const { setTimeout: startTimer, clearTimeout: stopTimer, setImmediate: runSoon } = globalThis;
export { startTimer, stopTimer };

/** Milliseconds since some moment. */
export const now = performance.now.bind(performance);

/** What throws a signal's reason once it was aborted. */
export function checkSignal(signal: unknown): () => void {
  // Not by its class: a page's and a test's own may be others.
  const throwIfAborted: unknown = (signal as Partial<AbortSignal> | null | undefined)
    ?.throwIfAborted;
  if (signal !== undefined && typeof throwIfAborted !== 'function') {
    fail('invalid-type', 'signal', 'an AbortSignal', show(signal));
  }
  return () => {
    (throwIfAborted as (() => void) | undefined)?.call(signal);
  };
}

/** What `promise` comes to, or, as an error, the reason of a signal that is aborted before. */
export async function orAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => {
      const { reason } = signal as { reason: Error };
      reject(reason);
    };
  });
  signal?.addEventListener('abort', stop);
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** A turn of the event loop. A timer would take a page 4 ms. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (node !== undefined && typeof runSoon === 'function') {
      runSoon(resolve);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

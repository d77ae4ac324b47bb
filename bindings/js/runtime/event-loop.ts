/** Timers, signals and turns of the event loop. */
import { fail, show } from './errors.js';
import { node } from './node.js';

/** The timers when this file was loaded. Tests may install fake ones later, which may never fire. */
const { setTimeout: startTimer, clearTimeout: stopTimer, setImmediate: runSoon } = globalThis;
export { startTimer, stopTimer };

/** Milliseconds since an arbitrary time. Node loads `performance` when it is first read, which takes 2 ms. */
export const now = (): number => performance.now();

/** Checks a signal and returns a function that throws its reason if it is aborted. */
export function checkSignal(signal: unknown): () => void {
  // Checks a method instead of the class, which can differ between realms.
  const throwIfAborted: unknown = (signal as Partial<AbortSignal> | null | undefined)
    ?.throwIfAborted;
  if (signal !== undefined && typeof throwIfAborted !== 'function') {
    fail('invalid-type', 'signal', 'an AbortSignal', show(signal));
  }
  return () => {
    (throwIfAborted as (() => void) | undefined)?.call(signal);
  };
}

/** Waits for `promise`. Rejects with the signal's reason if it is aborted first. */
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

/** Yields to the event loop once. On a page, a timer would take 4 ms. */
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

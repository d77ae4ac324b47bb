import type { Core } from 'headwise-glue';
import { failOutOfMemory, HeadwiseError } from './errors.js';

let loaded: Core | undefined;

type Call = (...args: readonly number[]) => number;

/**
 * Has every call of the core that runs out of memory throw the error that says so. The core ends such a call by a trap,
 * and everything is as it was before it.
 */
function reportOutOfMemory(core: Core): void {
  const calls = core as unknown as Record<string, unknown> & { recover: Call };
  const { recover } = calls;
  for (const [name, value] of Object.entries(calls)) {
    if (typeof value === 'function' && value !== recover) {
      const call = value as Call;
      calls[name] = (...args: readonly number[]): number => {
        try {
          return call(...args);
        } catch (error) {
          if (recover() !== 0) {
            failOutOfMemory();
          }
          throw error;
        }
      };
    }
  }
}

export function setCore(core: Core): void {
  reportOutOfMemory(core);
  loaded = core;
}

/** The loaded WebAssembly core, or the error of a call before `init`. */
export function core(): Core {
  if (loaded === undefined) {
    throw new HeadwiseError(
      'not-initialized',
      'headwise: expected init() to have been awaited, got a call before it',
    );
  }
  return loaded;
}

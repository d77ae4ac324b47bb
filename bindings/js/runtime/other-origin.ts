import { reasonOf } from './errors.js';

/** Why a worker cannot be made, and what a page under Trusted Types can do. */
export function refusalOf(error: unknown): string {
  const reason = reasonOf(error);
  return /Trusted|trusted type/.test(reason)
    ? `${reason} (allow worker files in a default policy: docs/bundlers.md, Trusted Types)`
    : reason;
}

/** A worker of a module that is of another origin than the page, as of a CDN; undefined if it is the page's own. */
export function workerOfAnotherOrigin(file: URL): Worker | undefined {
  // Next.js has addresses without a host.
  const { href, origin } = new URL(file, location.href);
  if (origin === location.origin) {
    return undefined;
  }
  // A worker's own script is of the page's origin, what it imports may be of any.
  const script = new Blob([`import "${href}"`], { type: 'text/javascript' });
  return new Worker(URL.createObjectURL(script), { type: 'module' });
}

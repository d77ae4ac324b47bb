import { reasonOf } from './errors.js';

/** Why creating a worker failed, with a hint for pages with Trusted Types. */
export function refusalOf(error: unknown): string {
  const reason = reasonOf(error);
  return /Trusted|trusted type/.test(reason)
    ? `${reason} (allow worker files in a default policy: docs/bundlers.md, Trusted Types)`
    : reason;
}

/** Creates a worker for a file of another origin, such as a CDN's; returns undefined for the page's own origin. */
export function workerOfAnotherOrigin(file: URL): Worker | undefined {
  // Next.js uses URLs without a host.
  const { href, origin } = new URL(file, location.href);
  if (origin === location.origin) {
    return undefined;
  }
  // A worker's script must have the page's origin, but it may import modules of any origin.
  const script = new Blob([`import "${href}"`], { type: 'text/javascript' });
  return new Worker(URL.createObjectURL(script), { type: 'module' });
}

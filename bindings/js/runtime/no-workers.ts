/** What headwise/inline has in place of start-workers.ts: it computes on the caller's thread alone. */
import type { StartedWorker } from './start-workers.js';

export const startWorkers = (): StartedWorker[] => [];
export const endWorkers = (): void => undefined;
export const mayStartInNode = (): boolean => false;

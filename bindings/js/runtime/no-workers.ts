/** Replaces start-workers.ts in headwise/inline, which computes on the caller's thread only. */
import type { StartedWorker } from './start-workers.js';

export const startWorkers = (): StartedWorker[] => [];
export const endWorkers = (): void => undefined;
export const mayStartInNode = (): boolean => false;

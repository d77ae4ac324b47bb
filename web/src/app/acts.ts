import type { ActDescription } from '../ui/act.js';

/** All acts, in the order in which they are read: one folder each, found by its description. */
export const acts: readonly ActDescription[] = Object.values(
  import.meta.glob<ActDescription>('../acts/*/description.ts', {
    eager: true,
    import: 'description',
  }),
).sort((a, b) => a.order - b.order);

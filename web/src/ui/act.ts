import type { Addressed } from '../address/store.js';

/** What the page says of an act before its code is loaded. */
export interface ActIntro {
  /** In the navigation. */
  readonly short: string;
  readonly title: string;
  /** A sentence or two above the stage. */
  readonly lead: string;
  /** What there is to read below it. */
  readonly paragraphs?: readonly string[];
}

/** What each folder of web/src/acts exports from its description.ts. */
export interface ActDescription {
  /** Its address, and what hides it. */
  readonly id: string;
  /** Its place among the acts, as they are read. */
  readonly order: number;
  readonly intro: ActIntro;
  /** What it shows at once, before its code has loaded. */
  readonly opening?: () => Node[];
  readonly open: () => OpenAct;
}

/** An act with its state. */
export interface OpenAct {
  readonly store: Addressed;
  /** Loads its code, for which the page waits until the reader comes near, and gives what creates its content. */
  readonly load: () => Promise<() => Node[]>;
}

type Create<Store> = (store: Store) => Node[];

/** Opens an act whose code is loaded when the reader comes near. */
export const whenNear =
  <Store extends Addressed>(createStore: () => Store, load: () => Promise<Create<Store>>) =>
  (): OpenAct => {
    const store = createStore();
    return {
      store,
      async load() {
        const create = await load();
        return () => create(store);
      },
    };
  };

/** What waits until the reader is near. */
const waiting = new Set<() => Promise<void>>();

let begun: Promise<void> | undefined;

/** Resolves when the reader does something first: who only looks at the first screen loads no more than that. */
const untilBegun = (): Promise<void> =>
  (begun ??= new Promise((resolve) => {
    for (const type of ['scroll', 'keydown', 'pointerdown', 'wheel', 'touchstart']) {
      window.addEventListener(type, () => resolve(), { once: true, passive: true });
    }
  }));

/** Calls once, when a place comes into the window, which the margin makes larger or smaller. */
export function whenSeen(target: Element, rootMargin: string, act: () => unknown): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      act();
    },
    { rootMargin },
  );
  observer.observe(target);
}

/** Calls once, when the reader sees a place, or has begun to read the page and comes near. */
export function onceNear(target: Element, act: () => Promise<void>): void {
  const start = async (): Promise<void> => {
    if (waiting.delete(start)) await act();
  };
  waiting.add(start);
  // More than its edge.
  whenSeen(target, '0px 0px -20%', start);
  void untilBegun().then(() => {
    // Readers go down more often than up.
    if (waiting.has(start)) whenSeen(target, '400px 0px 100%', start);
  });
}

/** Loads what still waits, for print. */
export async function loadAll(): Promise<void> {
  await Promise.all([...waiting].map((start) => start()));
}

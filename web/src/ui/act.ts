import type { Addressed } from '../address/store.js';

/** What the page says of an act before its code is loaded. */
export interface ActIntro {
  /** In the navigation. */
  readonly short: string;
  readonly title: string;
  /** A sentence or two above the stage. */
  readonly lead: string;
  /** What there is to read below it. */
  readonly paragraphs: readonly string[];
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
  /** Its content: at once, or once its code is loaded, for which the page waits until the reader comes near. */
  readonly content:
    { readonly now: () => Node[] } | { readonly later: () => Promise<() => Node[]> };
}

type Create<Store> = (store: Store) => Node[];

/** Opens an act whose code is loaded when the reader comes near. */
export const whenNear =
  <Store extends Addressed>(createStore: () => Store, load: () => Promise<Create<Store>>) =>
  (): OpenAct => {
    const store = createStore();
    return {
      store,
      content: {
        async later() {
          const create = await load();
          return () => create(store);
        },
      },
    };
  };

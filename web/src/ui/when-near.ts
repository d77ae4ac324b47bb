/** What waits until the reader is near. */
const waiting = new Set<() => Promise<void>>();

/** Resolves when the reader does something first: who only looks at the first screen loads no more than that. */
const begun = new Promise<void>((resolve) => {
  for (const type of ['scroll', 'keydown', 'pointerdown', 'wheel', 'touchstart']) {
    window.addEventListener(
      type,
      () => {
        resolve();
      },
      { once: true, passive: true },
    );
  }
});

/** Calls once, when the reader sees a place, or has begun to read the page and comes near. */
export function whenNear(target: Element, act: () => Promise<void>): void {
  let observer: IntersectionObserver | undefined;
  const start = async (): Promise<void> => {
    if (!waiting.delete(start)) return;
    observer?.disconnect();
    await act();
  };
  const observe = (rootMargin: string): void => {
    observer?.disconnect();
    observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void start();
      },
      { rootMargin },
    );
    observer.observe(target);
  };
  waiting.add(start);
  // More than its edge.
  observe('0px 0px -20%');
  void begun.then(() => {
    // Readers go down more often than up.
    if (waiting.has(start)) observe('400px 0px 100%');
  });
}

/** Loads what still waits, for print. */
export async function loadAll(): Promise<void> {
  await Promise.all([...waiting].map((start) => start()));
}

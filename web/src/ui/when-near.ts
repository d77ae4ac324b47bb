/** Calls once, when the reader comes near: what lies far down is not loaded for those who stay away. */
export function whenNear(target: Element, act: () => Promise<void>): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void act();
    },
    // Readers go down more often than up.
    { rootMargin: '400px 0px 100%' },
  );
  observer.observe(target);
}

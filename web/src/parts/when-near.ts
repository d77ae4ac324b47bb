/** Calls once, when the reader comes near: what an act needs is not loaded for those who stay away. */
export function whenNear(target: Element, act: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      act();
    },
    { rootMargin: '400px' },
  );
  observer.observe(target);
}

/** Calls at most once a frame, however often it is asked to. */
export function oncePerFrame(act: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      act();
    });
  };
}

/** Of the frames of a run at least one in so many is drawn. */
const fewest = 4;

/** Milliseconds from a drawing to the next frame that are as usual, and how many more cost every further frame. */
const usualMs = 20;
const stepMs = 3;

/** How much of the last wait goes into the mean. */
const smoothing = 0.2;

/**
 * Which frames of a run are drawn: all of them where the next one comes in time, fewer where what is drawn holds it up, as
 * on a machine that is busy with other work. Frames that are not drawn are left to the reader's pointer and scrolling.
 */
export class Pace {
  /** From a drawing to the frame after it, in milliseconds. */
  #wait = usualMs;
  #passed = 0;

  /** To be asked within each animation frame of the run; whether it is to be drawn. */
  isDue(): boolean {
    this.#passed += 1;
    const every = 1 + Math.floor((this.#wait - usualMs) / stepMs);
    if (this.#passed < Math.min(every, fewest)) return false;
    this.#passed = 0;
    const from = performance.now();
    requestAnimationFrame(() => {
      const wait = performance.now() - from;
      // A tab that was hidden had no frames, which tells nothing of the drawing.
      if (wait < 1000) this.#wait += smoothing * (wait - this.#wait);
    });
    return true;
  }
}

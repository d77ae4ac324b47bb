/** Random choices, the same for the same seed on every machine: SplitMix32. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed | 0;
  }

  /** From 0 to 2^32 − 1. */
  next() {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  }

  /** From 0 to n − 1. */
  below(n) {
    return this.next() % n;
  }

  chance(probability) {
    return this.next() / 2 ** 32 < probability;
  }

  pick(...values) {
    return values[this.below(values.length)];
  }
}

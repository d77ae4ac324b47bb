// headwise learning a task: what is measured is done when the session is open.
import * as headwise from '../../../dist/index.js';
import { learn } from './learn.js';

export async function load({ threads }) {
  return {
    about: await headwise.init({ threads }),
    prepare({ task, seed }) {
      const { steps, milliseconds, score } = learn(headwise, task, seed);
      return { first: Float32Array.of(steps, milliseconds, score) };
    },
  };
}

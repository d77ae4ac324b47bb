import { setAttributes } from './dom.js';

/** A part of a drawing that works as a button does. */
export function asButton<Target extends SVGElement>(target: Target, act: () => void): Target {
  setAttributes(target, { role: 'button', tabindex: 0 });
  target.addEventListener('click', act);
  target.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    act();
  });
  return target;
}

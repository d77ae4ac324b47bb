import { until } from './until.mjs';

/**
 * Presses an element at its middle, unless another one covers it. Runs in the page, in one go: the page may scroll or
 * draw between the search for a place and a click of the browser there.
 */
function pressNow(element) {
  const isOnTop = () => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return element.contains(there) || there?.closest('label')?.control === element;
  };
  if (!isOnTop()) element.scrollIntoView({ block: 'center', behavior: 'instant' });
  if (!isOnTop()) return false;
  element.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
  element.focus({ preventScroll: true });
  element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  return true;
}

/** Presses what `find` finds, once nothing covers it. */
export const pressFound = (find, name) =>
  until(async () => (await find()).evaluate(pressNow), `${name} is covered`);

/** Presses the first match of a selector, once there is one. */
export const press = (page, selector) => pressFound(() => page.waitForSelector(selector), selector);

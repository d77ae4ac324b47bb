// Gestures with pointer and keys, sent to the browser as from a mouse and a keyboard, so that hidden or covered elements
// cannot be pressed.
import assert from 'node:assert/strict';
import { twoFrames, until } from './until.mjs';

/**
 * Finds an element by its selector and, if several match, by its accessible name. Returns its place. Runs in the page.
 */
function look(selector, name, isToBeSeen) {
  const nameOf = (each) =>
    (each.getAttribute('aria-label') ?? each.labels?.[0]?.textContent ?? each.textContent).trim();
  const element = [...document.querySelectorAll(selector)].find(
    (each) => name === null || nameOf(each) === name,
  );
  if (element === undefined) return undefined;
  if (isToBeSeen) {
    // As a reader scrolls: until then the page goes back to the act that a link has led to.
    window.dispatchEvent(new WheelEvent('wheel'));
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
  }
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const y = (top + bottom) / 2;
  const there = document.elementFromPoint((left + right) / 2, y);
  return {
    left,
    right,
    y,
    isFocused: document.activeElement === element,
    // An element around it may take the press for it.
    isOpen: element.contains(there) || (there?.contains(element) ?? false),
    cover: there?.outerHTML.slice(0, 100),
  };
}

/** Pixels between the end of a slider and its thumb's last position. */
const inset = 8;

/** @param engine of engines.mjs */
export function gesturesOf(engine) {
  const find = async (selector, name = null, isToBeSeen = false) => {
    const found = await engine.evaluate(look, selector, name, isToBeSeen);
    assert.ok(found, `no ${selector} ${name ?? ''}`);
    return found;
  };
  /**
   * Scrolls an element into view and acts there. Tries again if code of other acts that loads meanwhile moves it.
   */
  const bringIntoView = async (selector, name, meanwhile) => {
    let found;
    await until(
      async () => {
        const { left, right, y } = await find(selector, name, true);
        await meanwhile(left, right, y);
        found = await find(selector, name);
        return found.isOpen && found.y === y && found.left === left && found.right === right;
      },
      () => `${selector} ${name ?? ''} is covered by ${found.cover}, or moves`,
    );
    return found;
  };
  const middle = (left, right) => (left + right) / 2;
  /** Scrolls an element into view and moves the pointer to it, at a share of its width. */
  const pointAt = (selector, name, at = middle) =>
    bringIntoView(selector, name, (left, right, y) => engine.moveTo(at(left, right), y));
  /** Text of the first match, or an empty string. */
  const textOf = (selector) =>
    engine.evaluate((where) => document.querySelector(where)?.textContent ?? '', selector);

  return {
    textOf,
    async hover(selector, name) {
      await pointAt(selector, name);
    },
    /** Presses, waits for `meanwhile`, and releases, like a slow finger. */
    async click(selector, name, meanwhile = undefined) {
      await pointAt(selector, name);
      await engine.holdDown();
      await meanwhile?.();
      await engine.letGo();
    },
    /** Taps an element, without hovering first. */
    async tap(selector, name) {
      const wait = () => engine.evaluate(twoFrames);
      const { left, right, y } = await bringIntoView(selector, name, wait);
      await engine.touch(middle(left, right), y);
    },
    /**
     * Drags a slider's thumb between two shares of its track. Ends are overshot, as by hand: pointers stand at whole
     * pixels, so aiming at the end may stop short of it.
     */
    async drag(selector, name, from, to) {
      const along = (part) => (left, right) => left + inset + part * (right - left - 2 * inset);
      const { left, right, y } = await pointAt(selector, name, along(from));
      await engine.holdDown();
      for (const step of [0.25, 0.5, 0.75, 1])
        await engine.moveTo(along(from + step * (to - from))(left, right), y);
      if (to === 0) await engine.moveTo(left, y);
      if (to === 1) await engine.moveTo(right, y);
      await engine.letGo();
    },
    /** Presses Tab until the element has the focus. */
    async tabTo(selector, name, { back = false } = {}) {
      for (let presses = 0; presses < 80; presses++) {
        await engine.press('Tab', { shift: back });
        if ((await find(selector, name)).isFocused) return;
      }
      assert.fail(`Tab does not come to ${selector} ${name ?? ''}`);
    },
    async isFocused(selector, name) {
      return (await find(selector, name)).isFocused;
    },
    /** Waits until the text of the first match is as expected, and returns it. */
    async waitForText(selector, pattern) {
      let words;
      await until(
        async () => pattern.test((words = await textOf(selector))),
        () => `${selector} says “${words}”, not ${pattern}`,
      );
      return words;
    },
  };
}

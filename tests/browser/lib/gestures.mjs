// What a reader does with pointer and keys. The browser gets them as from a mouse and a keyboard:
// the page sees no difference, and nothing is pressed that is hidden or covered.
import assert from 'node:assert/strict';
import { twoFrames, until } from './until.mjs';

/**
 * Where an element is, found by its selector and, where several match, by the name that a screen
 * reader tells of it. This runs in the page.
 */
function look(selector, name, isToBeSeen) {
  const nameOf = (each) =>
    (each.getAttribute('aria-label') ?? each.labels?.[0]?.textContent ?? each.textContent).trim();
  const element = [...document.querySelectorAll(selector)].find(
    (each) => name === null || nameOf(each) === name,
  );
  if (element === undefined) return undefined;
  if (isToBeSeen) element.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const y = (top + bottom) / 2;
  const there = document.elementFromPoint((left + right) / 2, y);
  return {
    left,
    right,
    y,
    isFocused: document.activeElement === element,
    // What is around it may take the press for it.
    isOpen: element.contains(there) || (there?.contains(element) ?? false),
    cover: there?.outerHTML.slice(0, 100),
  };
}

/** Of a slider's ends, where its thumb stops short of them. */
const inset = 8;

/** @param engine of engines.mjs */
export function gesturesOf(engine) {
  const find = async (selector, name = null, isToBeSeen = false) => {
    const found = await engine.evaluate(look, selector, name, isToBeSeen);
    assert.ok(found, `no ${selector} ${name ?? ''}`);
    return found;
  };
  /**
   * Brings an element into view and does something there. Code of other acts that comes meanwhile may move
   * it: then once more.
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
  /** Brings an element into view and the pointer to it, `at` being a part of its width. */
  const pointAt = (selector, name, at = middle) =>
    bringIntoView(selector, name, (left, right, y) => engine.moveTo(at(left, right), y));
  /** Of the first there is; empty for none. */
  const textOf = (selector) =>
    engine.evaluate((where) => document.querySelector(where)?.textContent ?? '', selector);

  return {
    textOf,
    async hover(selector, name) {
      await pointAt(selector, name);
    },
    /** Presses and lets go, `meanwhile` in between: a reader's finger takes its time. */
    async click(selector, name, meanwhile = undefined) {
      await pointAt(selector, name);
      await engine.holdDown();
      await meanwhile?.();
      await engine.letGo();
    },
    /** Touches an element and lets go, without coming near before. */
    async tap(selector, name) {
      const wait = () => engine.evaluate(twoFrames);
      const { left, right, y } = await bringIntoView(selector, name, wait);
      await engine.touch(middle(left, right), y);
    },
    /**
     * Takes a slider's thumb from one place to another, each a part of the way. An end is passed, as by a
     * hand: a pointer stands at whole pixels, and one that aims at the end may stop before it.
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
    /** Walks by Tab until the element has the focus. */
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
    /** Waits until what the selector finds says what is expected; gives its words. */
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

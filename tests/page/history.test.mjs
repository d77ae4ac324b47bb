// The address of the page and the history of the browser: what is written, when, and how often.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { numberField, switchField } from '../../web/src/address/field.ts';
import { Store } from '../../web/src/address/store.ts';
import { look } from '../../web/src/acts/look/state.ts';
import { addressedId } from '../../web/src/app/scrolling.ts';
import { sentence } from '../../web/src/reading/sentence.ts';

const refusal = () => new DOMException('too many calls', 'SecurityError');

/** What a test needs of a browser: an address, and a history that may refuse changes. */
function fakeWindow(search = '', hash = '') {
  const listeners = {};
  const location = { pathname: '/page/', search, hash };
  const entries = [search + hash];
  const changes = [];
  const browser = {
    location,
    entries,
    changes,
    mayChange: () => true,
    addEventListener: (name, listener) => (listeners[name] = listener),
    setTimeout: (...args) => setTimeout(...args),
    clearTimeout: (id) => clearTimeout(id),
    goTo(address) {
      const url = new URL(address, 'http://localhost/page/');
      Object.assign(location, { search: url.search, hash: url.hash });
    },
    goBack() {
      entries.pop();
      browser.goTo(entries.at(-1) === '' ? '?' : entries.at(-1));
      listeners.popstate();
    },
  };
  const change = (isStep) => (_state, _title, address) => {
    if (!browser.mayChange()) throw refusal();
    changes.push(performance.now());
    browser.goTo(address);
    if (isStep) entries.push(location.search + location.hash);
    else entries[entries.length - 1] = location.search + location.hash;
  };
  browser.history = { pushState: change(true), replaceState: change(false) };
  return browser;
}

/** The module anew, with two acts whose states the address holds. */
async function open(search = '', hash = '#heads') {
  const browser = fakeWindow(search, hash);
  vi.stubGlobal('window', browser);
  vi.resetModules();
  const history = await import('../../web/src/address/history.ts');
  const scale = new Store({ value: numberField('scale', { min: 0, max: 1000, step: 0.25 }, 1) });
  const causal = new Store({ value: switchField('causal') });
  const notices = [];
  const all = [
    { id: 'heads', store: scale },
    { id: 'toy', store: causal },
  ].map((act) => ({ ...act, showNotices: (told) => notices.push(...told) }));
  history.readAddress(all, () => undefined);
  history.followAddress(all, () => undefined);
  return { browser, history, scale, causal, notices };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the address', () => {
  it('holds what differs from the beginning, and whatever else it had', async () => {
    const { browser, scale, causal, notices } = await open('?hide=export&scale=2.1&causal=yes');
    expect(scale.state.value).toBe(2);
    expect(notices.join()).toMatch(/scale .*2\.1.*causal .*yes/);
    scale.change({ value: 3 });
    causal.change({ value: true });
    expect(browser.location).toMatchObject({
      search: '?hide=export&scale=3&causal=1',
      hash: '#heads',
    });
    scale.reset();
    expect(browser.location.search).toBe('?hide=export&causal=1');
  });

  it('has an entry of the history for each change but not for a slider on its way', async () => {
    const { browser, scale, causal } = await open();
    scale.change({ value: 2 });
    scale.change({ value: 3 }, 'replace');
    causal.change({ value: true });
    expect(browser.entries).toEqual(['#heads', '?scale=3#heads', '?scale=3&causal=1#heads']);
    browser.goBack();
    expect(causal.state.value).toBe(false);
    expect(scale.state.value).toBe(3);
    browser.goBack();
    expect(scale.state.value).toBe(1);
    expect(browser.entries).toEqual(['#heads']);
  });

  it('is changed 30 times at once and 90 times in 30 seconds at most, and has the last value in the end', async () => {
    const { browser, scale } = await open();
    for (let move = 1; move <= 3000; move++) {
      scale.change({ value: move / 4 }, move === 1 ? 'push' : 'replace');
      vi.advanceTimersByTime(20);
      expect(scale.state.value).toBe(move / 4);
    }
    vi.advanceTimersByTime(1000);
    expect(browser.location.search).toBe('?scale=750');
    expect(browser.entries).toHaveLength(2);
    const most = browser.changes.map(
      (from) => browser.changes.filter((at) => at >= from && at < from + 30_000).length,
    );
    expect(Math.max(...most)).toBeGreaterThan(60);
    expect(Math.max(...most)).toBeLessThanOrEqual(91);
  });

  it('follows later where the browser refuses, as the step that it was', async () => {
    const { browser, scale, causal } = await open();
    browser.mayChange = () => false;
    scale.change({ value: 2 });
    causal.change({ value: true }, 'replace');
    vi.advanceTimersByTime(5000);
    expect(browser.entries).toEqual(['#heads']);
    browser.mayChange = () => true;
    vi.advanceTimersByTime(1000);
    expect(browser.entries).toEqual(['#heads', '?scale=2&causal=1#heads']);
  });

  it('that could not follow goes with a link within the page, and gives way to a step back', async () => {
    const { browser, history, scale } = await open();
    scale.change({ value: 2 });
    browser.mayChange = () => false;
    scale.change({ value: 3 });
    expect(history.presentQuery()).toBe('?scale=3');
    // A link to another act: same query, other fragment.
    browser.goTo('?scale=2#toy');
    browser.entries.push('?scale=2#toy', 'popped');
    browser.goBack();
    expect(scale.state.value).toBe(3);
    browser.goBack();
    expect(scale.state.value).toBe(3);
    browser.goBack();
    expect(scale.state.value).toBe(1);
    browser.mayChange = () => true;
    vi.advanceTimersByTime(5000);
    expect(browser.entries).toEqual(['#heads']);
  });

  it('names an act by percent escapes, too, and by none that are wrong', () => {
    const browser = fakeWindow();
    vi.stubGlobal('window', browser);
    vi.stubGlobal('document', { documentElement: { dataset: { act: 'train' } } });
    for (const [hash, id] of [
      // That of the document.
      ['', 'train'],
      ['#heads', 'heads'],
      ['#he%61ds', 'heads'],
      ['#%', '%'],
      ['#%E0%A4%A', '%E0%A4%A'],
    ]) {
      browser.location.hash = hash;
      expect(addressedId()).toBe(id);
    }
  });
});

it('a sentence of the address is cut to 1000 characters, and not within joined emoji', () => {
  const family = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}';
  for (const [field, written, value] of [
    [sentence.fields.text, 'war and peace', 'war and peace'],
    // Eleven code units each: ninety are within 1000 after two letters.
    [sentence.fields.text, `ab${family.repeat(99)}`, `ab${family.repeat(90)}`],
    [look.fields.arcs, '4', 4],
    [look.fields.arcs, '9', 4],
  ]) {
    const found = field.read(written);
    expect(found.value).toBe(value);
    if (String(value) === written) expect(found.correction).toBeUndefined();
    else expect(found.correction).toContain(field.name);
  }
});

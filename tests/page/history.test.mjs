// The address of the page: its fields, the state of acts behind it, and how often the browser is asked to change it.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAlignStore } from '../../web/src/acts/align/state.ts';
import { createFigureStore } from '../../web/src/acts/figure/state.ts';
import { createHeadsStore } from '../../web/src/acts/heads/state.ts';
import { createPruneStore } from '../../web/src/acts/prune/state.ts';
import { questionsFields } from '../../web/src/acts/questions/state.ts';
import { toyFields } from '../../web/src/acts/toy/state.ts';
import { trainFields } from '../../web/src/acts/train/state.ts';
import { createWhyStore } from '../../web/src/acts/why/state.ts';
import { wordsFields } from '../../web/src/acts/words/state.ts';
import {
  choiceField,
  nearest,
  numberField,
  numberListField,
  switchField,
} from '../../web/src/address/field.ts';
import { hideable, hideableNames, hideFrom } from '../../web/src/address/hideable.ts';
import { Store } from '../../web/src/address/store.ts';
import { addressedId } from '../../web/src/app/navigation.ts';
import { firstFields } from '../../web/src/first/state.ts';

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

  it('of a link to a view has the parameters of other acts, and following it is one step', async () => {
    const { browser, history, scale, causal } = await open('?hide=reset&scale=2&causal=1');
    const link = { act: 'heads', query: 'scale=5' };
    expect(history.hrefOf(link)).toBe('/page/?hide=reset&causal=1&scale=5#heads');
    const section = {
      scrollIntoView: vi.fn(),
      focus: vi.fn(),
      addEventListener: vi.fn(),
    };
    vi.stubGlobal('document', { getElementById: () => section });
    history.followLink({ act: 'toy', query: '' });
    expect([scale.state.value, causal.state.value]).toEqual([2, false]);
    expect(browser.entries.at(-1)).toBe('?hide=reset&scale=2#toy');
    expect(browser.entries).toHaveLength(2);
    expect(section.focus).toHaveBeenCalledOnce();
  });

  it('names an act by percent escapes, too, and by none that are wrong', () => {
    const browser = fakeWindow();
    vi.stubGlobal('window', browser);
    for (const [hash, id] of [
      ['', ''],
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

describe('a store', () => {
  it('tells every listener, also behind one that fails', () => {
    const later = [];
    vi.stubGlobal('queueMicrotask', (task) => later.push(task));
    const store = new Store({ value: switchField('value') });
    const told = [];
    store.subscribe(() => {
      throw new Error('broken');
    });
    store.subscribe(({ value }, origin) => told.push([value, origin]));
    store.change({ value: true });
    store.change({ value: true });
    expect(told).toEqual([[true, 'push']]);
    expect(later).toHaveLength(1);
    expect(later[0]).toThrow('broken');
    expect(store.isInitial).toBe(false);
  });

  it('normalizes every state, and gives what it corrected', () => {
    const fields = {
      most: numberField('most', { min: 1, max: 9, step: 1 }, 5),
      value: numberField('value', { min: 1, max: 9, step: 1 }, 1),
    };
    const store = new Store(fields, (state) =>
      state.value <= state.most
        ? { state, corrections: [] }
        : { state: { ...state, value: state.most }, corrections: ['too much'] },
    );
    expect(store.readFrom(new URLSearchParams('value=7'))).toEqual(['too much']);
    expect(store.state).toEqual({ most: 5, value: 5 });
    store.change({ most: 3 });
    expect(store.state).toEqual({ most: 3, value: 3 });
    const parameters = new URLSearchParams('most=8&other=1');
    store.writeTo(parameters);
    expect(parameters.toString()).toBe('most=3&other=1&value=3');
    store.deleteFrom(parameters);
    expect(parameters.toString()).toBe('other=1');
  });

  it('of every act comes back from its address', () => {
    const written = new URLSearchParams(
      'toy-guess=keys&toy-input=random&toy-steps=25&figure-step=4&input=text&seed=9&heads=4' +
        '&valid=4,2&causal=1&scale=2.5&dropout=0.2&contrast=1&gates=1,0.35,1,0&sample=2&head=3' +
        '&compare=1&part=W_v&text=a+b+c+d%0Ae+f+g&tokens=letters&positions=0&why-d=16' +
        '&why-divisor=8&train-speed=full&train-layers=1&train-head=1.2&prune-marks=1.1,1.2,2.2,2.3' +
        '&prune-check=1&prune-gone=1.1&align-query=2&question=why-sqrt-d',
    );
    const left = new URLSearchParams(written);
    const read = new URLSearchParams();
    for (const store of [
      ...[toyFields, trainFields, wordsFields, questionsFields].map((each) => new Store(each)),
      ...[createFigureStore(), createHeadsStore(), createWhyStore()],
      ...[createPruneStore(), createAlignStore()],
    ]) {
      expect(store.readFrom(written)).toEqual([]);
      store.writeTo(read);
      store.deleteFrom(left);
    }
    expect(left.toString()).toBe('');
    expect(Object.fromEntries(read)).toEqual(Object.fromEntries(written));
  });
});

describe('fields', () => {
  it.each([
    [choiceField('c', ['a', 'b'], 'a'), 'b', 'b'],
    [choiceField('c', ['a', 'b'], 'a'), 'x', 'a', /“x”.*a, or b|“x”.*a or b/],
    [choiceField('c', [1, 2], 2), '1', 1],
    [switchField('s'), '1', true],
    [switchField('s', true), '0', false],
    [switchField('s', true), 'no', true, /“no”/],
    [numberField('n', { min: 0, max: 2, step: 0.05 }, 1), '0.35', 0.35],
    [numberField('n', { min: 0, max: 2, step: 0.05 }, 1), '0.36', 0.35, /from 0 to 2; using 0.35/],
    [numberField('n', { min: 0, max: 2, step: 0.05 }, 1), '7', 2, /using 2/],
    [numberField('n', { min: 1, max: 2, step: 1 }, 1), '-7', 1, /using 1/],
    [numberField('n', { min: 0, max: 2, step: 1 }, 1), '1e0', 1, /“1e0”/],
    [numberListField('l'), '1,0.5,-2', [1, 0.5, -2]],
    [numberListField('l'), '', []],
    [numberListField('l'), '1,,2', [], /“1,,2”.*none/],
    [firstFields.text, 'war and peace', 'war and peace'],
    [firstFields.text, 'a '.repeat(20), 'a '.repeat(12), /first-text/],
    // After two letters, eight signs of 11 code units are within 100 characters.
    [
      firstFields.text,
      `ab${'\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}'.repeat(12)}`,
      `ab${'\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}'.repeat(8)}`,
      /first-text/,
    ],
    [firstFields.head, '9', 4, /first-head/],
  ])('%# read %s', (field, written, value, correction) => {
    const found = field.read(written);
    expect(found.value).toEqual(value);
    if (correction === undefined) expect(found.correction).toBeUndefined();
    else expect(found.correction).toMatch(correction);
    if (correction === undefined) expect(field.write(found.value)).toBe(written);
  });

  it('give short decimals', () => {
    const range = { min: 0, max: 1, step: 0.05 };
    for (let step = 0; step <= 20; step++) {
      expect(String(nearest(step * 0.05, range)).length).toBeLessThanOrEqual(4);
    }
  });
});

describe('hide', () => {
  it('hides what the address names, also what comes later, and reports unknown names', () => {
    const make = () => ({ toggleAttribute: vi.fn() });
    const isHidden = ({ toggleAttribute }) => toggleAttribute.mock.lastCall[1];
    const targets = hideableNames.map((name) => hideable(name, make()));
    for (const [at, name] of hideableNames.entries()) {
      expect(hideFrom(new URLSearchParams({ hide: name }))).toEqual([]);
      targets.forEach((target, i) => expect(isHidden(target)).toBe(i === at));
    }
    const unknown = hideFrom(new URLSearchParams('hide=export,,gate'));
    expect(unknown).toHaveLength(1);
    expect(unknown[0]).toMatch(/“gate”.*toy/);
    expect(isHidden(hideable('export', make()))).toBe(true);
    expect(isHidden(hideable('gates', make()))).toBe(false);
  });
});

import { range } from 'd3-array';
import { html, nothing, render, svg, type TemplateResult } from 'lit-html';

import { formatPercent, formatShare } from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import type { Candidate, LensLayer } from '../../worker/language-model.js';
import { visibleNext } from '../../reading/tokens.js';
import { words } from './words.js';

interface Shown {
  readonly isCausal: boolean;
  /** The selected token, behind which the model predicts the next one. */
  readonly token: string;
  readonly candidates: readonly Candidate[];
  readonly numLayers: number;
  /** Empty until it is computed: it comes later than the candidates. */
  readonly lens: readonly LensLayer[];
}

/** Where the axis may end: it stays where it is while a gate moves the bars. */
const ends = [0.1, 0.25, 0.5, 0.75, 1] as const;

/** The most probable next tokens as bars, and what each layer would predict: the logit lens. */
export function createPredictions() {
  const root = element('div.predictions.stack');
  return {
    root,
    draw({ isCausal, token, candidates, numLayers, lens }: Shown): void {
      render(
        isCausal
          ? html`<section class="candidates" aria-label=${words.next(token)}>
                <h3>${words.next(token)}</h3>
                ${bars(candidates)}
              </section>
              <section class="lens" aria-label=${words.lens}>
                <h3>${words.lens}</h3>
                ${candidates.length === 0 ? nothing : lensTable(numLayers, lens)}
              </section>`
          : html`<p>${words.noNext}</p>`,
        root,
      );
    },
  };
}

function bars(candidates: readonly Candidate[]): TemplateResult {
  const largest = Math.max(
    0,
    ...candidates.map(({ probability, before }) => Math.max(probability, before)),
  );
  const end = ends.find((each) => each >= largest) ?? 1;
  const share = (probability: number): string => `${(100 * probability) / end}%`;
  const leader = Math.max(...candidates.map(({ probability }) => probability));
  const all = candidates.map(({ token }) => token);
  const shownAs = (token: string): string => visibleNext(token, all);
  const row = ({ token, probability, before }: Candidate): TemplateResult =>
    html`<li
      class="candidate"
      ?data-leads=${probability === leader}
      aria-label=${words.bar(shownAs(token), formatShare(probability), formatShare(before))}
    >
      <span class="candidate-token clipped">${shownAs(token)}</span>
      <svg class="candidate-bar" aria-hidden="true">
        ${svg`<rect class="bar-now" width=${share(probability)} height="100%"></rect>
        <rect class="bar-before" x=${share(before)} width="2" height="100%"></rect>`}
      </svg>
      <span class="candidate-share">${formatShare(probability)}</span>
    </li>`;
  return html`<ol class="candidates-rows">
      ${candidates.map(row)}
    </ol>
    <p class="candidates-key row soft small" aria-hidden="true">
      <span class="key-now"></span>${words.nextNow}
      <span class="key-before"></span>${words.nextOpen}
      <span class="key-axis">${words.axis(formatShare(end))}</span>
    </p>`;
}

/**
 * Rows are layers, the output on top, as in headwise's own `<logit-lens>`. They are there before their predictions, which
 * therefore move nothing when they come.
 */
function lensTable(numLayers: number, lens: readonly LensLayer[]): TemplateResult {
  const all = lens.flat().map(({ token }) => token);
  return html`<table class="lens-rows">
    ${range(numLayers, -1, -1).map(
      (layer) =>
        html`<tr data-layer=${layer}>
          <th scope="row" class="soft">
            ${layer === numLayers ? words.output : words.after(layer)}
          </th>
          ${lens[layer]?.map(
            ({ token, probability }) =>
              html`<td
                class="clipped"
                .style=${`--share: ${formatPercent(probability).replace(/\s/, '')}`}
              >
                <span class="lens-token clipped">${visibleNext(token, all)}</span>
                <span class="lens-share">${formatPercent(probability)}</span>
              </td>`,
          )}
        </tr>`,
    )}
  </table>`;
}

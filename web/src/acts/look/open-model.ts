import { html, nothing, render } from 'lit-html';

import type { SharedModel } from '../../reading/model.js';
import { sayLoading } from '../../reading/sentence-field.js';
import { type Attributes, element, labelled, setAttributes } from '../../ui/dom.js';
import { announce } from '../../ui/live-region.js';
import { reasonOf } from '../../ui/notices.js';
import type { ModelSource } from '../../worker/checkpoint.js';
import { words } from './words.js';

/** Opens a model of the reader's: a folder, a GGUF file or an address. What comes of it is said right below. */
export function createModelOpener(model: SharedModel): HTMLElement {
  let isOpening = false;
  let problem = '';

  async function open(source: ModelSource): Promise<void> {
    isOpening = true;
    problem = '';
    draw();
    try {
      await model.open(source);
    } catch (error) {
      const isCancelled = error instanceof Error && error.name === 'AbortError';
      if (!isCancelled) problem = words.refused(reasonOf(error, words.notAModel));
      announce(problem);
    }
    isOpening = false;
    draw();
  }

  const address = element('input.field', {
    type: 'url',
    required: true,
    placeholder: 'https://',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const form = element(
    'form.model-address',
    labelled(
      words.address,
      address,
      element('div', address, element('button', { type: 'submit' }, words.openAddress)),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void open(address.value.trim());
  });
  const status = element('div.model-status');
  const root = element(
    'div.model-opener',
    filePicker(words.folder, { webkitdirectory: true }, open),
    filePicker(words.files, { multiple: true, accept: '.gguf,.json,.safetensors' }, open),
    form,
    status,
    element('p.note', words.modelHint),
  );

  function draw(): void {
    const { progress, isOwn } = model;
    const isBusy = isOpening && progress !== undefined;
    setAttributes(root, { 'data-state': isBusy ? 'opening' : problem === '' ? 'idle' : 'refused' });
    render(
      html`${
        isBusy
          ? html`<p>${sayLoading(progress)}</p>
              <button @click=${() => model.cancel()}>${words.cancel}</button>`
          : nothing
      }
      ${problem === '' ? nothing : html`<p class="failure" role="alert">${problem}</p>`}
      ${
        isOwn && !isBusy
          ? html`<button
              @click=${() => {
                problem = '';
                void model.openBuiltIn().catch(() => undefined);
              }}
            >
              ${words.builtIn}
            </button>`
          : nothing
      }`,
      status,
    );
  }
  model.onChange(draw);
  draw();
  return root;
}

/** A button that looks like the others: the browser's own says what it likes. */
function filePicker(
  label: string,
  attributes: Attributes,
  open: (files: readonly File[]) => Promise<void>,
): HTMLElement {
  const input = element('input.file-input', { type: 'file', ...attributes });
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    // The same files again, mended meanwhile, are a change too.
    input.value = '';
    if (files.length > 0) void open(files);
  });
  return element('label.control', element('span.control-label', label), input);
}

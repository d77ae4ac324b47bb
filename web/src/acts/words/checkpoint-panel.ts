import { element, newId, setAttributes } from '../../ui/dom.js';
import { announce } from '../../ui/live-region.js';
import type { Reader } from './reader.js';
import { words } from './words.js';

export interface CheckpointPanel {
  readonly root: HTMLElement;
  draw(): void;
}

/** Opens a model of the reader's: a folder, or its files at once. */
export function createCheckpointPanel(reader: Reader): CheckpointPanel {
  const refusal = element('p', { class: 'control-hint' });
  const back = element('button', { type: 'button' }, words.builtIn);
  back.addEventListener('click', () => {
    reader.openBuiltIn();
  });
  const root = element(
    'div',
    { class: 'checkpoint' },
    filePicker(words.folder, { webkitdirectory: true }, reader),
    filePicker(words.files, { multiple: true, accept: '.json,.safetensors' }, reader),
    element('p', { class: 'note' }, words.checkpointHint),
    refusal,
    back,
  );
  return {
    root,
    draw() {
      const told = reader.refusal === '' ? '' : words.refused(reader.refusal);
      if (refusal.textContent !== told) announce(told);
      refusal.textContent = told;
      setAttributes(back, { hidden: !reader.isOwn });
    },
  };
}

function filePicker(
  label: string,
  attributes: Parameters<typeof setAttributes>[1],
  reader: Reader,
): HTMLElement {
  const id = newId('checkpoint');
  const input = element('input', { id, type: 'file', class: 'file-input', ...attributes });
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    // The same files again, mended meanwhile, are a change too.
    input.value = '';
    if (files.length > 0) void reader.openFiles(files);
  });
  return element(
    'div',
    { class: 'control' },
    element('label', { for: id, class: 'control-label' }, label),
    input,
  );
}

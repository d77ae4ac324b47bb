import { element, newId } from '../dom.js';

interface Options {
  readonly label: string;
  readonly hint: string;
  readonly accept: string;
  readonly onFile: (file: File) => void;
}

/** A place for a file: to choose it by a button, or to drop it anywhere on `target`. */
export function createFileDrop(target: HTMLElement, options: Options): HTMLElement {
  const id = newId('file');
  const input = element('input.file-input', { id, type: 'file', accept: options.accept });
  const take = (files: FileList | undefined | null): void => {
    const file = files?.[0];
    if (file !== undefined) options.onFile(file);
  };
  input.addEventListener('change', () => {
    take(input.files);
    // Choosing the same file again, mended meanwhile, is a change too.
    input.value = '';
  });
  const hasFiles = ({ dataTransfer }: DragEvent): boolean =>
    dataTransfer?.types.includes('Files') ?? false;
  target.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    target.toggleAttribute('data-drop', true);
  });
  target.addEventListener('dragleave', () => target.toggleAttribute('data-drop', false));
  target.addEventListener('drop', (event) => {
    target.toggleAttribute('data-drop', false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    take(event.dataTransfer?.files);
  });
  return element(
    'div.control',
    element('label.control-label', { for: id }, options.label),
    input,
    element('p.note', options.hint),
  );
}

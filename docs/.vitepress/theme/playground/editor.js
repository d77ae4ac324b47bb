import { javascript } from '@codemirror/lang-javascript';
import { syntaxHighlighting } from '@codemirror/language';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { minimalSetup } from 'codemirror';

/** Tab leaves the editor, so that the keyboard reaches the buttons. */
export const createEditor = (parent, code, run) =>
  new EditorView({
    parent,
    doc: code,
    extensions: [
      keymap.of([{ key: 'Mod-Enter', run: () => (run(), true) }]),
      minimalSetup,
      lineNumbers(),
      javascript(),
      syntaxHighlighting(classHighlighter),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': 'JavaScript' }),
    ],
  });

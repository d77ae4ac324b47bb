import { translatable } from '../format/translation.js';

/** What controls, notices and exports say in every act. */
export const words = translatable('ui', {
  controls: {
    label: 'Controls',
    seed: 'Seed',
    newSeed: 'Random seed',
    seedHint: (min: number, max: number, shown: number) =>
      `Enter an integer from ${min} to ${max}. The page still shows seed ${shown}.`,
    reset: 'Reset',
    heads: 'Heads',
  },

  /** Buttons of a training run. */
  run: {
    label: 'Training',
    start: 'Start',
    goOn: 'Resume',
    pause: 'Pause',
    step: 'One step',
    again: 'Restart',
    waiting: 'Creating the model.',
    steps: 'steps',
  },

  notLoaded: 'This part of the page did not load. Check the connection, then reload the page.',

  of: (part: number, whole: number) => `${part} of ${whole}`,

  goal: { name: 'Your goal:', reached: 'Reached.' },

  failure: {
    title: 'The layer cannot run here',
    unsupported:
      'It needs WebAssembly SIMD and exceptions, which this browser lacks. Chrome and Edge support both from version 95, Firefox from 100, Safari from 16.4.',
    loading: 'Its WebAssembly file did not load. Check the connection, then reload the page.',
    other: 'An unexpected error occurred. Reloading the page may help.',
    reason: (said: string, details: string) => `${said} Details: ${details}`,
  },

  /** Saving figures and copying links. */
  exports: {
    intro: 'Save',
    nothingYet: 'Nothing to save yet.',
    formats: { svg: 'SVG', png: 'PNG', json: 'JSON', loop: 'Loop' },
    saveAs: (name: string, format: string) => `Save ${name} as ${format}`,
    saved: (file: string) => `Saved as ${file}.`,
    failed: (reason: string) => `Nothing was saved: ${reason}`,
    noPicture: 'the browser could not render the image. SVG and JSON still work.',
    copyLink: 'Copy link',
    copied: 'Link copied.',
    notCopied: 'Couldn’t copy automatically; here is the link:',
    linkLabel: 'Link to this view',
  },
});

/** What acts 3 and 4 say when their worker fails them. */
export const words = {
  slow: {
    title: 'The worker is taking long',
    advice:
      'What computes here has not answered for 20 seconds. It may still be loading, or the machine has much else to do: it is used when it comes, and nothing is lost. Closing other tabs may help. Begin again to give it up for a new one.',
  },
  lost: {
    title: 'The worker was lost',
    advice:
      'The browser ended what computes here, or it did not load. Nothing else on the page is touched. Begin again to get a new one: the same seed gives the same run.',
  },
  memory: {
    title: 'There is no memory left',
    advice:
      'The browser gave this page no more. Close other tabs or take fewer layers and heads, then begin again.',
  },
  other: {
    title: 'This did not work',
    advice: 'Begin again; if that does not help, load the page again.',
  },
  again: 'Begin again',
} as const;

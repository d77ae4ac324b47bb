/** The fourth act. */
export const prune = {
  title: 'Which heads matter',
  paragraphs: ['', ''],
} as const;

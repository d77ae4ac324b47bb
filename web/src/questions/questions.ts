import { hideable } from '../address/hideable.js';
import { element, marked, newId, paragraph } from '../ui/dom.js';
import { questions, questionsOf } from './state.js';
import { words } from './words.js';

/** The questions under an act, each with its answer. Nothing if the act has none. */
export function createQuestions(act: string): HTMLElement[] {
  const names = questionsOf(act);
  if (names.length === 0) return [];
  const entries = names.map((name) => {
    const [question, answer] = words.entries[name];
    const root = element(
      'details.question',
      { 'data-question': name },
      element('summary', ...marked(question)),
      paragraph(answer),
    );
    root.addEventListener('toggle', () => {
      if (root.open) questions.change({ question: name });
      else if (questions.state.question === name) questions.change({ question: 'none' });
    });
    return { name, root };
  });
  questions.follow(({ question }) => {
    for (const { name, root } of entries) root.open = question === name;
  });
  const id = newId('questions');
  return [
    hideable(
      'questions',
      element(
        'div.questions',
        // No landmark: every act has questions.
        { role: 'group', 'aria-labelledby': id },
        element('h3', { id }, words.title),
        ...entries.map(({ root }) => root),
      ),
    ),
  ];
}

/**
 * Asks for the newest of many wishes: one at a time, and of those that come meanwhile only the last.
 */
export function latestOnly<Wish>(ask: (wish: Wish) => Promise<void>): (wish: Wish) => void {
  let waiting: { readonly wish: Wish } | undefined;
  let isAsking = false;
  const run = async (): Promise<void> => {
    isAsking = true;
    try {
      while (waiting !== undefined) {
        const { wish } = waiting;
        waiting = undefined;
        await ask(wish);
      }
    } finally {
      isAsking = false;
    }
  };
  return (wish) => {
    waiting = { wish };
    if (!isAsking) void run();
  };
}

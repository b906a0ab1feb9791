/** What a process of its own can be asked to do, by name. Argument and result travel as JSON. */
export type Verbs = Record<string, (argument: never) => unknown>;

/** A question of the parent. */
export interface Question {
  id: number;
  verb: string;
  argument: unknown;
}

/** What comes back: a result, or what went wrong. */
export interface Reply {
  id: number;
  result?: unknown;
  error?: string;
}

/** Lets the parent process ask this one, and ends this one when the parent is gone. */
export function answerParent(verbs: Verbs): void {
  async function answer({ id, verb, argument }: Question): Promise<Reply> {
    try {
      const work = verbs[verb] as ((argument: unknown) => unknown) | undefined;
      if (work === undefined) throw new Error(`There is no ${verb} here.`);
      return { id, result: await work(argument) };
    } catch (error) {
      return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  }
  process.on('message', async (question: Question) => process.send?.(await answer(question)));
  process.on('disconnect', () => process.exit());
}

import { fileURLToPath } from 'node:url';
import type { Question, Reply, Verbs } from './answer-parent';
import type { Workplace } from './bench-environment';

/** A process of its own that does what it is asked. */
export interface OwnProcess<Known extends Verbs> {
  pid: number;
  /** Has it do something. Rejects when that fails, or when the process ends first. */
  ask<Verb extends keyof Known & string>(
    verb: Verb,
    argument: Parameters<Known[Verb]>[0],
  ): Promise<Awaited<ReturnType<Known[Verb]>>>;
  /** Ends it at once. */
  stop(): Promise<void>;
}

/**
 * Starts a TypeScript file that calls `answerParent` as a process of its own.
 *
 * @param file The file's URL.
 */
export function startOwnProcess<Known extends Verbs>(
  place: Workplace,
  file: URL,
): OwnProcess<Known> {
  const path = fileURLToPath(file);
  const { child, stop, lastWords } = place.start(
    ['--import', 'tsx', path],
    ['ignore', 'ignore', 'ipc'],
  );
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let asked = 0;

  child.on('message', ({ id, result, error }: Reply) => {
    const asker = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asker?.resolve(result);
    else asker?.reject(new Error(`${path} failed: ${error}`));
  });
  child.on('close', (code, signal) => {
    const why = new Error(`${path} ended with ${code ?? signal}.\n${lastWords()}`);
    for (const { reject } of waiting.values()) reject(why);
    waiting.clear();
  });

  return {
    pid: child.pid ?? 0,
    stop,
    ask(verb, argument) {
      asked += 1;
      const question: Question = { id: asked, verb, argument };
      return new Promise((resolve, reject) => {
        waiting.set(question.id, { resolve: resolve as (result: unknown) => void, reject });
        child.send(question, (error) => {
          if (error) reject(error);
        });
      });
    },
  };
}

import type { OutputOptions } from '../global-options';
import { chooseFormat } from '../output/choose-format';
import type { View } from '../output/column';
import { note } from '../output/note';
import { writeData } from '../output/write';
import type { Terminal } from '../terminal';
import { newSecretFile } from './new-secret-file';

/** What an answer that tells a secret is to become. */
interface SecretAnswer<Answer> {
  /** Asks the service for the secret. */
  ask: () => Promise<Answer>;
  /** How the answer is shown. */
  view: View<Answer>;
  /** What else to say where the secret is printed. */
  advice: string;
}

/** Where a secret goes. */
interface SecretOptions extends OutputOptions {
  /** The new file that gets it; stdout unless told. */
  secretFile?: string;
}

/**
 * Asks for what tells a secret this once, and prints it, or puts the secret into a file and prints the
 * rest. Whether both can be written is found out before anything is sent.
 *
 * @throws {CliError} `file_failed`, and what asking throws.
 */
export async function tellSecret<Answer extends { secret: string }>(
  { ask, view, advice }: SecretAnswer<Answer>,
  terminal: Terminal,
  options: SecretOptions,
): Promise<void> {
  const format = await chooseFormat(options, view, terminal.stdout);
  if (options.secretFile === undefined) {
    await writeData(terminal.stdout, format.one(await ask()));
    note(terminal, advice);
    return;
  }
  const withoutSecret: View<Omit<Answer, 'secret'>> = {
    fields: view.fields.filter((field) => field !== 'secret') as Exclude<
      keyof Answer & string,
      'secret'
    >[],
    columns: [],
  };
  const shortFormat = await chooseFormat(options, withoutSecret, terminal.stdout);
  const file = newSecretFile(options.secretFile);
  let answer: Answer;
  try {
    answer = await ask();
  } catch (error) {
    file.discard();
    throw error;
  }
  const { secret, ...rest } = answer;
  try {
    file.keep(secret);
  } catch (error) {
    // A disk that is full must not cost the secret.
    await writeData(terminal.stdout, format.one(answer));
    throw error;
  }
  await writeData(terminal.stdout, shortFormat.one(rest));
  note(terminal, `The secret is in ${file.path}, and is not shown again.`);
}

import { CliError } from '../cli-error';
import type { OutputOptions } from '../global-options';
import { messageOf } from '../message-of';
import { chooseFormat } from '../output/choose-format';
import type { View } from '../output/column';
import type { Format } from '../output/format';
import { note, noteWithSecret } from '../output/note';
import { showChange } from '../output/show-change';
import { writeData } from '../output/write';
import type { Terminal } from '../terminal';
import { newSecretFile } from './new-secret-file';

/** What an answer that tells a secret is to become. */
interface SecretAnswer<Answer> {
  /** Asks the service for the secret. */
  ask: () => Promise<Answer>;
  /** How the answer is shown. */
  view: View<Answer>;
  /** What was done then, as the beginning of a sentence: `whk_1 is registered`. */
  what: (answer: Answer) => string;
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
 * rest. Whether both can be written is found out before anything is sent. A secret that is shown
 * nowhere else goes to stderr: it is better seen than lost.
 *
 * @throws {CliError} `usage` for fields without the secret, `file_failed` and `output_failed` where it
 * cannot be written, `wrong_answer` where the service tells none, and what asking throws.
 */
export async function tellSecret<Answer extends { secret: string }>(
  answer: SecretAnswer<Answer>,
  terminal: Terminal,
  options: SecretOptions,
): Promise<void> {
  const { secretFile } = options;
  if (secretFile === undefined) await printSecret(answer, terminal, options);
  else await fileSecret(answer, secretFile, terminal, options);
}

async function printSecret<Answer extends { secret: string }>(
  { ask, view, what, advice }: SecretAnswer<Answer>,
  terminal: Terminal,
  options: OutputOptions,
): Promise<void> {
  const format = await chooseFormat(options, view, terminal.stdout);
  const fields = options.fields?.split(',').map((name) => name.trim());
  if (fields !== undefined && !fields.includes('secret')) {
    throw new CliError(
      'usage',
      '--fields leaves the secret out, and it is told this once',
      'Nothing was sent. Name secret in --fields, or a new file for it with --secret-file.',
    );
  }
  const told = checked(await ask(), what);
  const failure = await failureToShow(told, format, terminal);
  if (failure === null) {
    note(terminal, advice);
    return;
  }
  tellOnStderr(told.secret, what(told), terminal);
  throw new CliError('output_failed', `${what(told)}, but ${failure}`, onStderr);
}

async function fileSecret<Answer extends { secret: string }>(
  { ask, view, what }: SecretAnswer<Answer>,
  secretFile: string,
  terminal: Terminal,
  options: OutputOptions,
): Promise<void> {
  const withoutSecret: View<Omit<Answer, 'secret'>> = {
    fields: view.fields.filter((field) => field !== 'secret') as Exclude<
      keyof Answer & string,
      'secret'
    >[],
    columns: [],
  };
  const format = await chooseFormat(options, withoutSecret, terminal.stdout);
  const file = newSecretFile(secretFile);
  let answer: Answer;
  try {
    answer = checked(await ask(), what);
  } catch (error) {
    file.discard();
    throw error;
  }
  const { secret, ...rest } = answer;
  try {
    file.keep(secret);
  } catch (error) {
    tellOnStderr(secret, what(answer), terminal);
    throw new CliError('file_failed', `${what(answer)}, but ${messageOf(error)}`, onStderr);
  }
  note(terminal, `The secret is in ${file.path}, and is not shown again.`);
  const text = () => format.one(rest);
  await showChange({ what: what(answer), look: null, text }, terminal);
}

const onStderr =
  'Do not repeat it: the secret is on stderr, before this error, and is not shown again.';

/** The last resort. It is no part of an error: those have secrets taken out. */
function tellOnStderr(secret: string, what: string, terminal: Terminal): void {
  noteWithSecret(terminal, `${what}. Its secret, which is not shown again: ${secret}`);
}

/** Prints an answer. Says why the secret could not be shown with it; null when it was. */
async function failureToShow<Answer extends { secret: string }>(
  answer: Answer,
  format: Format<Answer>,
  { stdout }: Terminal,
): Promise<string | null> {
  const { secret } = answer;
  try {
    const text = await format.one(answer);
    await writeData(stdout, text);
    // What a jq expression makes of it may be anything.
    const isShown = text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1));
    return isShown ? null : 'its secret is not in what was to be printed of it';
  } catch (error) {
    return `it could not be printed: ${messageOf(error)}`;
  }
}

/** @throws {CliError} `wrong_answer` when there is no secret in it. */
function checked<Answer extends { secret: string }>(
  answer: Answer,
  what: (answer: Answer) => string,
): Answer {
  const { secret }: { secret: unknown } = answer;
  if (typeof secret === 'string' && secret !== '') return answer;
  throw new CliError(
    'wrong_answer',
    `${what(answer)}, but the service does not tell its secret`,
    'Without it no delivery can be verified. Tell whoever runs the service.',
  );
}

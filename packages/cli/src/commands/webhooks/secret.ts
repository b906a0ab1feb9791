import { closeSync, fsyncSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import {
  type SignDeliveryOptions,
  type SignedDelivery,
  signDelivery as sign,
} from '@tradepost/sdk/testing';
import type { Command, Option } from 'commander';
import type { CliContext } from '../../context';
import { attempt, CliError, capitalize, getErrorMessage } from '../../errors/cli-error';
import { decodeText } from '../../files/decode-text';
import { hasCode } from '../../files/private-files';
import type { OutputOptions } from '../../input/options';
import { chooseFormat } from '../../output/format';
import {
  printChange,
  printCommand,
  printNotice,
  printSecretNotice,
  writeData,
} from '../../output/print';
import type { Format, View } from '../../output/view';

/** The most bytes that are read: a device may be endless. */
const maxBytes = 4_096;

/**
 * Reads an endpoint secret from a file, without one line end at its end.
 *
 * @throws {CliError} `input_unreadable` if the file cannot be read, `usage` if it has no secret
 */
export function readSecretFile(path: string): string {
  const bytes = attempt(
    () => readStart(path, maxBytes),
    'input_unreadable',
    'Cannot read the secret',
    'Name a file with the secret of the webhook, whsec_…, and nothing else.',
  );
  if (bytes.length >= maxBytes) {
    throw new CliError('usage', `${path} is not a secret: it has ${maxBytes} bytes or more`);
  }
  const secret = decodeText(bytes, path).replace(/\r?\n$/, '');
  if (secret.trim() !== '') return secret;
  throw new CliError('usage', `${path} is empty`, 'Write the secret of the webhook into it.');
}

/**
 * Reads the first bytes of a file, or all if there are no more.
 *
 * @throws the system's error
 */
export function readStart(path: string, limit: number): Buffer {
  const bytes = Buffer.alloc(limit);
  let length = 0;
  const file = openSync(path, 'r');
  try {
    // A pipe may return its content in parts.
    for (let read = -1; read !== 0 && length < limit; length += read) {
      read = readSync(file, bytes, length, limit - length, null);
    }
  } finally {
    closeSync(file);
  }
  return bytes.subarray(0, length);
}

/**
 * Signs a delivery as the service does.
 *
 * @throws {CliError} `usage` for an invalid secret
 */
export function signDelivery(options: SignDeliveryOptions): Promise<SignedDelivery> {
  return signWith(() => sign(options));
}

/** @throws {CliError} `usage` if signing fails, because the secret is not valid */
export async function signWith<Signed>(sign: () => Promise<Signed>): Promise<Signed> {
  try {
    return await sign();
  } catch (error) {
    throw new CliError(
      'usage',
      `The secret is not valid: ${getErrorMessage(error)}`,
      'The file must contain the whole secret, including whsec_.',
    );
  }
}

export function newSecretFileOption(command: Command): Option {
  return command.createOption(
    '--secret-file <file>',
    'write the secret to this new file (mode 0600) instead of stdout',
  );
}

/**
 * Creates a file for a secret, readable by its owner only (0600), before the secret is requested: a
 * secret that is shown once must not get lost.
 *
 * @throws {CliError} `file_unusable` if it exists or cannot be created
 */
function createSecretFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    throw hasCode(error, 'EEXIST')
      ? new CliError(
          'file_unusable',
          `${path} exists`,
          'Nothing was sent. Name a new file: this one may contain a secret.',
        )
      : new CliError(
          'file_unusable',
          `Cannot create the file for the secret: ${getErrorMessage(error)}`,
          'Nothing was sent. Name a file in a folder that you can write to.',
        );
  }
}

interface SecretRequest<Result> {
  request: () => Promise<Result>;
  view: View<Result>;
  subject: (result: Result) => string;
  /** Printed after a secret on stdout. */
  advice: string;
  /** What to do next, a line each, and the last step. Printed after the secret was shown or saved. */
  nextSteps?: { texts: readonly string[]; command: string };
}

type SecretOptions = OutputOptions & { secretFile?: string };

/**
 * Requests a secret that is shown once, and prints it, or writes it to a file and prints the rest. Whether
 * both are possible is checked before the request. If the secret can be shown nowhere else it goes to
 * stderr.
 *
 * @throws {CliError} `usage` for fields without the secret, `file_unusable`, `file_failed`,
 * `output_failed`, and `invalid_response` for a response without a secret
 */
export async function revealSecret<Result extends { secret: string }>(
  request: SecretRequest<Result>,
  context: CliContext,
  options: SecretOptions,
): Promise<void> {
  const { secretFile } = options;
  if (secretFile === undefined) await printSecret(request, context, options);
  else await saveSecret(request, secretFile, context, options);
  if (request.nextSteps === undefined) return;
  for (const text of request.nextSteps.texts) printNotice(context, text);
  printCommand(context, request.nextSteps.command);
}

async function printSecret<Result extends { secret: string }>(
  { request, view, subject, advice }: SecretRequest<Result>,
  context: CliContext,
  options: OutputOptions,
): Promise<void> {
  const format = await chooseFormat(options, view, context);
  const fields = options.fields?.split(',').map((name) => name.trim());
  if (fields !== undefined && !fields.includes('secret')) {
    throw new CliError(
      'usage',
      '--fields omits the secret, which is shown only once',
      'Nothing was sent. Add secret to --fields, or pass --secret-file.',
    );
  }
  const result = assertSecret(await request(), subject);
  const failure = await tryToPrint(result, format, context);
  if (failure === null) return printNotice(context, advice);
  printOnStderr(result.secret, subject(result), context);
  throw new CliError('output_failed', `${capitalize(subject(result))}, but ${failure}`, onStderr);
}

async function saveSecret<Result extends { secret: string }>(
  { request, view, subject }: SecretRequest<Result>,
  path: string,
  context: CliContext,
  options: OutputOptions,
): Promise<void> {
  const withoutSecret: View<Omit<Result, 'secret'>> = {
    fields: view.fields.filter((field) => field !== 'secret') as Exclude<
      keyof Result & string,
      'secret'
    >[],
  };
  const format = await chooseFormat(options, withoutSecret, context);
  const file = createSecretFile(path);
  let result: Result;
  try {
    result = assertSecret(await request(), subject);
  } catch (error) {
    closeSync(file);
    rmSync(path, { force: true });
    throw error;
  }
  const { secret, ...rest } = result;
  try {
    writeFileSync(file, `${secret}\n`);
    fsyncSync(file);
    closeSync(file);
  } catch (error) {
    // Half a secret is useless.
    rmSync(path, { force: true });
    printOnStderr(secret, subject(result), context);
    throw new CliError(
      'file_failed',
      `${capitalize(subject(result))}, but the secret could not be written to ${path}: ${getErrorMessage(error)}`,
      onStderr,
    );
  }
  printNotice(context, `Secret saved in ${path}. It is not shown again.`);
  const text = () => format.formatItem(rest);
  await printChange(context, subject(result), text);
}

const onStderr =
  'Do not repeat it. The secret is on stderr, before this error, and is not shown again.';

/** The last resort. It is not part of the error: errors are redacted. */
function printOnStderr(secret: string, subject: string, context: CliContext): void {
  printSecretNotice(
    context,
    `${capitalize(subject)}. Its secret, which is not shown again: ${secret}`,
  );
}

/** Prints a response. Returns why the secret could not be shown; null if it was. */
async function tryToPrint<Result extends { secret: string }>(
  result: Result,
  format: Format<Result>,
  { stdout }: CliContext,
): Promise<string | null> {
  const { secret } = result;
  try {
    const text = await format.formatItem(result);
    await writeData(stdout, text);
    // A jq expression may drop it.
    const isShown = text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1));
    return isShown ? null : 'its secret is not in the output';
  } catch (error) {
    return `the result could not be printed: ${getErrorMessage(error)}`;
  }
}

function assertSecret<Result extends { secret: string }>(
  result: Result,
  subject: (result: Result) => string,
): Result {
  const { secret }: { secret: unknown } = result;
  if (typeof secret === 'string' && secret !== '') return result;
  throw new CliError(
    'invalid_response',
    `${capitalize(subject(result))}, but the response has no secret`,
    'Without it deliveries cannot be verified. Notify the operator of the service.',
  );
}

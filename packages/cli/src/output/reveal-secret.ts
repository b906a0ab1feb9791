import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import type { CliContext } from '../context';
import { CliError, capitalize, getErrorMessage } from '../errors/cli-error';
import { hasCode } from '../files/private-files';
import type { OutputOptions } from '../input/options';
import { chooseFormat } from './format';
import { printChange, printCommand, printNotice, printSecretNotice, writeData } from './print';
import type { Format, View } from './view';

/** What is shown once: the field of the response, and what messages call it. */
type SecretName = 'secret' | 'key';

/** Creates the option `--secret-file` or `--key-file`. */
export function newSecretFileOption(command: Command, name: SecretName = 'secret'): Option {
  return command.createOption(
    `--${name}-file <file>`,
    `write the ${name} to this new file (mode 0600) instead of stdout`,
  );
}

/**
 * Creates a file for a secret, readable by its owner only (0600), before the secret is requested: a
 * secret that is shown once must not get lost.
 *
 * @throws {CliError} `file_unusable` if it exists or cannot be created
 */
function createSecretFile(path: string, name: SecretName): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    throw hasCode(error, 'EEXIST')
      ? new CliError(
          'file_unusable',
          `${path} exists`,
          `Nothing was sent. Name a new file: this one may contain a ${name}.`,
        )
      : new CliError(
          'file_unusable',
          `Cannot create the file for the ${name}: ${getErrorMessage(error)}`,
          'Nothing was sent. Name a file in a folder that you can write to.',
        );
  }
}

interface SecretRequest<Result, Name extends SecretName> {
  /** @default secret */
  name?: Name;
  request: () => Promise<Result>;
  view: View<Result>;
  subject: (result: Result) => string;
  /** Printed after a secret on stdout. */
  advice: string;
  /** What to do if the response has no secret. */
  withoutSecret: string;
  /** What to do next, a line each, and the last step. Printed after the secret was shown or saved. */
  nextSteps?: { texts: readonly string[]; command: string };
}

type SecretOptions = OutputOptions & { secretFile?: string; keyFile?: string };

/** A result with a secret. */
type Secret<Name extends SecretName> = Readonly<Record<Name, string>>;

/**
 * Requests a secret that is shown once, and prints it, or writes it to a file and prints the rest. Whether
 * both are possible is checked before the request. If the secret can be shown nowhere else it goes to
 * stderr.
 *
 * @throws {CliError} `usage` for fields without the secret, `file_unusable`, `file_failed`,
 * `output_failed`, and `invalid_response` for a response without a secret
 */
export async function revealSecret<Result extends Secret<Name>, Name extends SecretName = 'secret'>(
  request: SecretRequest<Result, Name>,
  context: CliContext,
  options: SecretOptions,
): Promise<void> {
  const file = options.secretFile ?? options.keyFile;
  if (file === undefined) await printSecret(request, context, options);
  else await saveSecret(request, file, context, options);
  if (request.nextSteps === undefined) return;
  for (const text of request.nextSteps.texts) printNotice(context, text);
  printCommand(context, request.nextSteps.command);
}

async function printSecret<Result extends Secret<Name>, Name extends SecretName>(
  secretRequest: SecretRequest<Result, Name>,
  context: CliContext,
  options: OutputOptions,
): Promise<void> {
  const { view, subject, advice } = secretRequest;
  const name = getName(secretRequest);
  const format = await chooseFormat(options, view, context);
  const fields = options.fields?.split(',').map((name) => name.trim());
  if (fields !== undefined && !fields.includes(name)) {
    throw new CliError(
      'usage',
      `--fields omits the ${name}, which is shown only once`,
      `Nothing was sent. Add ${name} to --fields, or pass --${name}-file.`,
    );
  }
  const result = await requestSecret(secretRequest);
  const failure = await tryToPrint(result, name, format, context);
  if (failure === null) return printNotice(context, advice);
  printOnStderr(name, result[name], subject(result), context);
  throw new CliError(
    'output_failed',
    `${capitalize(subject(result))}, but ${failure}`,
    isOnStderr(name),
  );
}

async function saveSecret<Result extends Secret<Name>, Name extends SecretName>(
  secretRequest: SecretRequest<Result, Name>,
  path: string,
  context: CliContext,
  options: OutputOptions,
): Promise<void> {
  const { view, subject } = secretRequest;
  const name = getName(secretRequest);
  const withoutSecret: View<Omit<Result, Name>> = {
    fields: view.fields.filter((field): field is Exclude<typeof field, Name> => field !== name),
  };
  const format = await chooseFormat(options, withoutSecret, context);
  const file = createSecretFile(path, name);
  let result: Result;
  try {
    result = await requestSecret(secretRequest);
  } catch (error) {
    closeSync(file);
    rmSync(path, { force: true });
    throw error;
  }
  const { [name]: secret, ...rest } = result;
  try {
    writeFileSync(file, `${secret}\n`);
    fsyncSync(file);
    closeSync(file);
  } catch (error) {
    // Half a secret is useless.
    rmSync(path, { force: true });
    printOnStderr(name, secret, subject(result), context);
    throw new CliError(
      'file_failed',
      `${capitalize(subject(result))}, but the ${name} could not be written to ${path}: ${getErrorMessage(error)}`,
      isOnStderr(name),
    );
  }
  printNotice(context, `${capitalize(name)} saved in ${path}. It is not shown again.`);
  const text = () => format.formatItem(rest);
  await printChange(context, subject(result), text);
}

function getName<Name extends SecretName>({ name }: { name?: Name }): Name {
  return name ?? ('secret' as Name);
}

function isOnStderr(name: SecretName): string {
  return `Do not repeat it. The ${name} is on stderr, before this error, and is not shown again.`;
}

/** The last resort. It is not part of the error: errors are redacted. */
function printOnStderr(
  name: SecretName,
  secret: string,
  subject: string,
  context: CliContext,
): void {
  printSecretNotice(
    context,
    `${capitalize(subject)}. Its ${name}, which is not shown again: ${secret}`,
  );
}

/** Prints a response. Returns why the secret could not be shown; null if it was. */
async function tryToPrint<Result extends Secret<Name>, Name extends SecretName>(
  result: Result,
  name: Name,
  format: Format<Result>,
  { stdout }: CliContext,
): Promise<string | null> {
  const secret = result[name];
  try {
    const text = await format.formatItem(result);
    await writeData(stdout, text);
    // A jq expression may drop it.
    const isShown = text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1));
    return isShown ? null : `its ${name} is not in the output`;
  } catch (error) {
    return `the result could not be printed: ${getErrorMessage(error)}`;
  }
}

/** @throws {CliError} `invalid_response` for a response without a secret */
async function requestSecret<Result extends Secret<Name>, Name extends SecretName>(
  secretRequest: SecretRequest<Result, Name>,
): Promise<Result> {
  const { request, subject, withoutSecret } = secretRequest;
  const name = getName(secretRequest);
  const result = await request();
  const secret: unknown = result[name];
  if (typeof secret === 'string' && secret !== '') return result;
  throw new CliError(
    'invalid_response',
    `${capitalize(subject(result))}, but the response has no ${name}`,
    withoutSecret,
  );
}

import { CliError } from '../cli-error';

/** Whether a text can be the name of a login: it goes into command lines and file names as it is. */
export function isProfileName(text: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(text);
}

/** @throws {CliError} `usage` for what cannot be the name of a login. */
export function checkProfileName(text: string): string {
  if (isProfileName(text)) return text;
  throw new CliError(
    'usage',
    `${JSON.stringify(text)} cannot be the name of a login`,
    'A name has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or a digit.',
  );
}

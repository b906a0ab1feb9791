import type { Command, CommanderError } from 'commander';
import { CliError } from './cli-error';

/** The whole name of a command, such as `tradepost orders list`. */
function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

function usageHint(message: string, suggestion: string | undefined, command: Command): string {
  if (message.includes("'--api-key")) {
    return 'A key is never given on the command line, where other programs can see it: set TRADEPOST_API_KEY.';
  }
  const help = `\`${commandPath(command)} --help\` shows what there is.`;
  return suggestion === undefined ? help : `Did you mean ${suggestion}? ${help}`;
}

/** Whether the parser itself complains, rather than a command. */
export function isParserError(error: unknown): error is CommanderError {
  // By its code: the class itself is not loaded beside the commands.
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}

/** Makes what the parser complains about an error of ours: message and suggestion apart. */
export function usageErrorOf(error: CommanderError, command: Command): CliError {
  if (error.code === 'commander.help') {
    // Those that the help shows: what programs call is of no use here.
    const children = command.createHelp().visibleCommands(command);
    const names = children.map((child) => child.name()).join(', ');
    return new CliError('usage', `${commandPath(command)} needs a command: one of ${names}`);
  }
  if (error.code === 'commander.missingMandatoryOptionValue') {
    // It is looked for first, though the one that is missing may well be there, and mistyped.
    const mistyped = command.args.find((argument) => /^--?\w/.test(argument))?.replace(/=.*$/s, '');
    const missing = error.message.replace(/^error: /, '');
    const message =
      mistyped === undefined ? missing : `unknown option '${mistyped}', and ${missing}`;
    return new CliError('usage', message, usageHint(message, undefined, command));
  }
  const [text = '', suggestion] = error.message.split(/\n\(Did you mean (.*)\?\)$/s);
  const message = text
    .replace(/^error: (command-argument value )?/, '')
    // What follows the `=` of an unknown option may be a key.
    .replace(/^(unknown option '[^=']*)=.*$/s, "$1'");
  return new CliError('usage', message, usageHint(message, suggestion, command));
}

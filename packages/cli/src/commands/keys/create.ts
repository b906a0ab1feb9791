import type { CreatedApiKey } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { InvalidArgument } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import { type GlobalOptions, parseLifetime } from '../../input/options';
import { describeShape } from '../../output/format';
import { newSecretFileOption, revealSecret } from '../../output/reveal-secret';
import { escapeControlChars } from '../../output/text';
import type { View } from '../../output/view';
import { keyFields } from './key-view';

interface Options extends GlobalOptions {
  name?: string;
  readOnly?: true;
  expires?: number;
  keyFile?: string;
}

const createdKeyView: View<CreatedApiKey> = { fields: [...keyFields, 'key'] };

/** Parses the name of a key. White space at its ends is removed. Source: the contract, `CreateKey`. */
function parseName(text: string): string {
  const name = text.trim();
  if (/^.{1,100}$/su.test(name) && escapeControlChars(name) === name) return name;
  throw new InvalidArgument('Use 1 to 100 visible characters on one line.');
}

export function configure(command: Command, context: CliContext): void {
  command
    .option('--name <name>', 'what people call it', parseName)
    .option('--read-only', 'the key may only read')
    .option('--expires <duration>', 'how long it is valid, such as 90d, 12h or 30m', parseLifetime)
    .addOption(newSecretFileOption(command, 'key'))
    .action(async () => {
      const options = command.optsWithGlobals<Options>();
      const { name, readOnly, expires: expiresIn } = options;
      const { keys } = createClient(context, options);
      const key = {
        name: 'key' as const,
        request: () => keys.create({ name, readOnly, expiresIn }, { signal: context.signal }),
        view: createdKeyView,
        subject: ({ id }: Partial<CreatedApiKey>) => `${id ?? 'a key'} is created`,
        withoutSecret: 'Without it the key is useless. Notify the operator of the service.',
        advice: 'The key is not shown again. Store it in a safe place.',
      };
      await revealSecret(key, context, options);
    });
  addHelp(command, {
    fields: createdKeyView.fields,
    Examples: [
      "$ tradepost keys create --name 'warehouse export' --read-only --expires 90d --key-file export.key",
      '$ tradepost keys create --name ci --jq .key',
    ],
    Output: [`json: ${describeShape(createdKeyView)}; no key with --key-file`],
    Notes: [
      'It has the rights of the key that creates it, or only reads. It does not live longer, but it is not revoked with that key.',
      'Without --expires it expires with that key, or never.',
    ],
  });
}

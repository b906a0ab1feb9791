import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { caFileName, exampleProfile } from '../profile/example';
import { keyFileOf, openAuthority } from '../receiver/certificates';
import { Exit, type Host } from './host';

/** `init`: writes a profile to fill in. */
export function addInit(program: Command, { stdout }: Host): void {
  program
    .command('init')
    .description('Write a profile with comments, to be filled in.')
    .option('--profile <file>', 'where to write it', 'conformance.yaml')
    .action(async ({ profile }: { profile: string }) => {
      try {
        writeFileSync(profile, exampleProfile, { flag: 'wx' });
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        const why =
          code === 'EEXIST' ? 'It exists, and is not overwritten.' : `Cannot write it (${code}).`;
        throw new Exit(2, `error: ${profile}: ${why}`);
      }
      const caFile = join(dirname(profile), caFileName);
      try {
        await openAuthority(caFile);
      } catch (error) {
        throw new Exit(2, `error: Wrote ${profile}, but no authority: ${(error as Error).message}`);
      }
      stdout.write(
        [
          `Wrote ${profile}. Fill it in.`,
          `Make the service trust ${caFile}, which signs the certificate of the receiver.`,
          `${keyFileOf(caFile)} has the private key of that authority: do not commit it.`,
          `Then: tradepost-conformance check --profile ${profile}\n`,
        ].join('\n'),
      );
    });
}

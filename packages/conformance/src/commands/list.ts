import type { Command } from 'commander';
import { allChecks } from '../checks/all-checks';
import { Exit, type Host } from './host';

const classes = {
  stated: 'stated: the specification says it. Its failure cannot be waived, except that of EVT-3.',
  derived: 'derived: it follows from what is stated. A profile may waive its failure.',
  advice: 'advice: it never fails, unless with --strict.',
};

const beyond = 'extensions: beyond the specification. A profile may waive its failure.';

/** `list`: all checks. It needs no service. */
export function addList(program: Command, { stdout }: Host): void {
  program
    .command('list')
    .description('List all checks.')
    .option('--ids', 'print only their IDs')
    .action(({ ids }: { ids?: true }) => {
      for (const { id, class: kind, title } of allChecks) {
        stdout.write(ids ? `${id}\n` : `${id.padEnd(8)}${kind.padEnd(9)}${title}\n`);
      }
    });
}

/** `explain ID`: what a check judges, and why. It needs no service. */
export function addExplain(program: Command, { stdout }: Host): void {
  program
    .command('explain')
    .description('Show what a check does, and the sentence that it is judged by.')
    .argument('<id>', 'such as SIG-3')
    .action((id: string) => {
      const check = allChecks.find((one) => one.id === id.toUpperCase());
      if (!check) {
        throw new Exit(2, `error: There is no check ${id}: see tradepost-conformance list.`);
      }
      const [section, sentence] = check.source ?? [];
      const rows: [string, string | undefined][] = [
        check.level === 'extensions' ? ['Level', beyond] : ['Class', classes[check.class]],
        ['Sentence', sentence && `"${sentence}"`],
        ['Section', section],
        ['Method', check.method],
        ['Needs', check.needs?.join(', ')],
      ];
      stdout.write(`${check.id}  ${check.title}\n\n`);
      for (const [name, text] of rows) if (text) stdout.write(`${name.padEnd(10)}${text}\n`);
    });
}

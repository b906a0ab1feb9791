import { type ApiKey, isTradepostError, type Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions, maxPageSize, yesOption } from '../../input/options';
import { confirm } from '../../input/prompt';
import { chooseFormat, describeShape } from '../../output/format';
import { printChange, printNotice } from '../../output/print';
import { formatField } from '../../output/text';
import type { View } from '../../output/view';

interface Options extends GlobalOptions {
  yes?: true;
}

/** The name is null if the key has none, or is not known. */
interface RevokedKey {
  id: string;
  name: string | null;
  revoked: true;
}

const revokedView: View<RevokedKey> = { fields: ['id', 'name', 'revoked'] };

export function configure(command: Command, context: CliContext): void {
  addId(command, 'key')
    .option(...yesOption)
    .action((id: string) => revoke(id, command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: revokedView.fields,
    Examples: ['$ tradepost keys revoke key_01KAJ8Q0V7T3M5X9R2C4D6F8GK --yes'],
    Output: [`json: ${describeShape(revokedView)}`],
    Notes: [
      'It takes effect at once, ends the sessions of the key, and cannot be undone.',
      'Keys that the key created stay valid: a notice names them.',
      'A read-only key may revoke only itself.',
    ],
  });
}

async function revoke(id: string, options: Options, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, revokedView, context);
  const { keys } = createClient(context, options);
  const known = await listKeys(keys, context);
  const key = known.find((one) => one.id === id);
  await confirm(`Revoke ${describe(id, key)}?`, context, options);
  await keys.revoke(id, { signal: context.signal });
  const text = () => format.formatItem({ id, name: key?.name ?? null, revoked: true });
  await printChange(context, `${id} is revoked`, text);
  const created = known.filter(
    ({ createdBy, kind, revokedAt }) => createdBy === id && kind !== 'session' && !revokedAt,
  );
  if (created.length === 0) return;
  const ids = created.map((one) => one.id).join(', ');
  printNotice(context, `Still valid, unless expired, although ${id} created them: ${ids}.`);
}

/** Lists the newest keys of the account; none if the service does not list them. */
async function listKeys(keys: Tradepost['keys'], { signal }: CliContext): Promise<ApiKey[]> {
  try {
    return (await keys.list({ limit: maxPageSize }, { signal })).data;
  } catch (error) {
    if (isTradepostError(error) && (error.status === 405 || error.status === 501)) return [];
    throw error;
  }
}

/** Names a key by what people know of it. */
function describe(id: string, key: ApiKey | undefined): string {
  if (key === undefined) return id;
  const { name, prefix, current, kind } = key;
  const words = [
    ...(kind === 'session' ? ['a session'] : []),
    ...(name == null ? [] : [formatField(name)]),
    formatField(prefix),
    ...(current ? ['the key of this command'] : []),
  ];
  return `${id} (${words.join(', ')})`;
}

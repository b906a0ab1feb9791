import { isTradepostError, type Partner, type Tradepost } from '@tradepost/sdk';
import { requireExtension } from '../../client/extensions';
import { fetchAccount } from '../../config/identity';
import type { CliContext } from '../../context';
import { CliError } from '../../errors/cli-error';
import { isId, maxPageSize } from '../../input/options';
import { formatCount } from '../../output/text';

const maxListed = 10;

/**
 * Returns the ID of a buyer or seller, by the ID itself or a part of the name: of a partner, or of the account itself.
 *
 * @param option how an error calls what has the name
 * @throws {CliError} `usage` for a name that no partner has, or several; `unsupported_option` if the service has no names
 */
export async function findParty(
  client: Pick<Tradepost, 'account' | 'partners'>,
  kind: 'buyer' | 'seller',
  name: string | undefined,
  { signal }: Pick<CliContext, 'signal'>,
  option = `--${kind}`,
): Promise<string | undefined> {
  if (name === undefined || isId(name, 'usr')) return name;
  const found: Partner[] = [];
  try {
    for await (const partner of client.partners.list({ name, limit: maxPageSize }, { signal })) {
      if (partner.kind === kind) found.push(partner);
    }
  } catch (error) {
    if (isTradepostError(error) && error.status === 404) {
      requireExtension('partners', `${option} with a name`, error.extensions);
    }
    throw error;
  }
  const exact = found.filter((one) => one.name.toLowerCase() === name.toLowerCase());
  const [match, ...others] = exact.length > 0 ? exact : found;
  if (match === undefined) {
    // An account is no partner of itself.
    const own = await fetchAccount(client, { signal });
    const isOwn = own?.kind === kind && String(own.name).toLowerCase().includes(name.toLowerCase());
    if (isOwn) return own.id;
    throw new CliError(
      'usage',
      `No ${kind} that this account has traded with has '${name}' in its name`,
      { text: 'To see names, run', command: 'orders list', args: ['--names'] },
    );
  }
  if (others.length === 0) return match.id;
  const all = [match, ...others].sort((one, other) => one.name.localeCompare(other.name));
  const listed = all.slice(0, maxListed).map(({ id, name }) => `${id} (${name})`);
  const rest = all.length - listed.length;
  throw new CliError(
    'usage',
    `${formatCount(all.length, kind)} have '${name}' in their names: ${listed.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`,
    'Use one of these IDs, or more of the name.',
  );
}

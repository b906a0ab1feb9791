import {
  readDescriptorLimit,
  reservedDescriptors,
  type SocketBudget,
  shareDescriptors,
} from '../socket-budget';
import { OperatorError } from './operator-error';
import type { StartOptions } from './start-options';

/** How many sockets the parts of a process with this role may have open. */
export function chooseSocketBudget({ role }: StartOptions): SocketBudget {
  const serves = { api: role !== 'worker', deliveries: role !== 'api' };
  return shareDescriptors(readDescriptorLimit(), serves);
}

/**
 * How many API connections may be open at once: as many as the operator says, else as many as there are file
 * descriptors for.
 *
 * @throws OperatorError when that leaves none for deliveries and the database.
 */
export function chooseMaxConnections(options: StartOptions): number {
  const budget = chooseSocketBudget(options);
  const { maxConnections = budget.connections } = options;
  const limit = readDescriptorLimit();
  const others = reservedDescriptors(budget);
  if (limit === null || maxConnections <= Math.max(budget.connections, limit - others)) {
    return maxConnections;
  }
  throw new OperatorError(
    `--max-connections ${maxConnections} is too many: this process may open ${limit} files, and deliveries and the database need ${others} of them. Raise the limit (ulimit -n), or allow ${budget.connections} connections at most.`,
  );
}

import process from 'node:process';

/** Descriptors for everything that is not a socket of a client or a receiver: the database, logs, DNS, Node itself. */
const reserved = 64;
/** Sockets per kind where the system allows them: what the service has been measured with. */
const most = { connections: 10_000, attempts: 2_000, idle: 512 };
const least = { connections: 16, attempts: 16, idle: 0 };

/** How many sockets each part of a process may have open at once. */
export interface SocketBudget {
  /** Connections of API clients. */
  connections: number;
  /** Delivery attempts in flight. */
  attempts: number;
  /** Connections to receivers that are kept open between attempts. */
  idle: number;
}

/**
 * Shares a process's file descriptors, so that no number of clients takes those that deliveries need: half of
 * what is left after the reserve is for deliveries, where the process makes them.
 *
 * @param limit How many descriptors the process may have; null where the system sets no limit.
 * @param serves What the process does: answers API requests, makes deliveries.
 */
export function shareDescriptors(
  limit: number | null,
  serves: { api: boolean; deliveries: boolean },
): SocketBudget {
  if (limit === null) return most;
  const usable = Math.max(0, limit - reserved);
  const wanted = serves.deliveries ? most.attempts + most.idle : 0;
  const forDeliveries = Math.min(wanted, serves.api ? Math.floor(usable / 2) : usable);
  const idle = Math.floor(forDeliveries / 5);
  const clamp = (kind: keyof SocketBudget, count: number) =>
    Math.max(least[kind], Math.min(most[kind], count));
  return {
    connections: clamp('connections', usable - forDeliveries),
    attempts: clamp('attempts', forDeliveries - idle),
    idle: clamp('idle', idle),
  };
}

/** How many descriptors are not for API connections. */
export function reservedDescriptors({ attempts, idle }: SocketBudget): number {
  return reserved + attempts + idle;
}

/** How many file descriptors this process may have open; null where the system sets no limit or does not say. */
export function readDescriptorLimit(): number | null {
  const { report } = process;
  // Else it would resolve the names of this machine's addresses.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isInteger(soft) && soft > 0 ? soft : null;
}

import { readFileSync } from 'node:fs';
import process from 'node:process';

/** File descriptors reserved for the database, logs, DNS and Node. */
const reservedShare = 64;
/** The defaults if the system allows them. The service was measured with these. */
const maxDescriptors = { connections: 10_000, attempts: 2_000, idle: 512 };
const minDescriptors = { connections: 16, attempts: 16, idle: 0 };

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
 * Divides the file descriptors of a process, so that clients cannot use up those for deliveries: a process that delivers gets
 * half of what is left after the reserve for deliveries.
 *
 * @param limit How many descriptors the process may have; null for no limit.
 * @param serves Whether the process serves the API and makes deliveries.
 */
export function allocateDescriptors(
  limit: number | null,
  serves: { api: boolean; deliveries: boolean },
): SocketBudget {
  if (limit === null) return maxDescriptors;
  const usable = Math.max(0, limit - reservedShare);
  const wanted = serves.deliveries ? maxDescriptors.attempts + maxDescriptors.idle : 0;
  const forDeliveries = Math.min(wanted, serves.api ? Math.floor(usable / 2) : usable);
  const idle = Math.floor(forDeliveries / 5);
  const clamp = (kind: keyof SocketBudget, count: number) =>
    Math.max(minDescriptors[kind], Math.min(maxDescriptors[kind], count));
  return {
    connections: clamp('connections', usable - forDeliveries),
    attempts: clamp('attempts', forDeliveries - idle),
    idle: clamp('idle', idle),
  };
}

/** Returns how many descriptors are not for API connections. */
export function reservedDescriptors({ attempts, idle }: SocketBudget): number {
  return reservedShare + attempts + idle;
}

/** Returns how many file descriptors this process may have; null if there is no limit or it is unknown. */
export function readDescriptorLimit(): number | null {
  const soft = Number(readLinuxLimit() ?? readReportedLimit());
  return Number.isInteger(soft) && soft > 0 ? soft : null;
}

/** Reads the limit where Linux has it: a report of Node takes as long as a tenth of the start. */
function readLinuxLimit(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return /^Max open files +(\S+)/m.exec(limits)?.[1];
  } catch {
    // Without /proc.
    return undefined;
  }
}

function readReportedLimit(): unknown {
  const { report } = process;
  // Otherwise the report resolves the host names of this machine's addresses.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  return userLimits?.open_files?.soft;
}

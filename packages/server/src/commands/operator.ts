import { hostname, userInfo } from 'node:os';
import type { AuditActor } from '@tradepost/domain/audit/audit-log';
import {
  type CommandContext,
  createContext,
  createIdGenerator,
  systemClock,
} from '@tradepost/domain/kernel/context';

function readUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that its system does not list.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Returns who runs the command, for the audit log: the user of the operating system, and the host. */
export function getOperator(): AuditActor {
  return { type: 'operator', id: `${readUser()}@${hostname()}` };
}

/** Creates the context of a change that a command makes. */
export function createCommandContext(): CommandContext {
  return createContext(systemClock, createIdGenerator());
}

import type { AccountKind } from '@tradepost/contract/wire';

/** An account. */
export interface ModelAccount {
  id: string;
  kind: AccountKind;
  name: string;
  createdAt: number;
  suspendedAt: number | null;
  /** How many webhooks and pending deliveries it may have; null for the default. */
  maxWebhooks: number | null;
  maxOpenDeliveries: number | null;
}

/** An API key, also that of a session. */
export interface ModelKey {
  number: number;
  id: string;
  accountId: string;
  /** The key itself. */
  text: string;
  prefix: string;
  readOnly: boolean;
  name: string | null;
  isSession: boolean;
  /** The key that created it; null if the operator did. */
  parentId: string | null;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
}

/** A sign-in code. */
export interface ModelCode {
  text: string;
  keyId: string;
  expiresAt: number;
  isUsed: boolean;
}

/** An entry of the audit log. */
export interface ModelAudit {
  number: number;
  id: string;
  at: number;
  actor: { type: 'operator' | 'key' | 'service'; id: string };
  action: string;
  subjectId: string;
  accountId: string;
}

/** How many more deliveries an account may have had pending at a time. */
export interface ModelCount {
  accountId: string;
  at: number;
  left: number;
}

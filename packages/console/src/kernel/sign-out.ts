import { createClient } from './client';
import { endSession, getSession } from './session';

/** Ends the session, first in all tabs, which would still ask for something with the revoked key, and then in the service. */
export function signOut(): void {
  const session = getSession();
  endSession();
  const id = session?.isOwnKey ? session.account?.key.id : undefined;
  if (session === null || id === undefined) return;
  // If the service does not get it, the session ends by itself, after twelve hours at most.
  void createClient(session.key).keys.revoke(id).safe();
}

import type { contract } from '@tradepost/contract';
import { type Clock, createContext, formatTimestamp, type IdGenerator } from '../kernel/context';
import type { RouteHandlers } from '../route-handlers';
import { toAccountResponse } from './account';
import { rejectSession, type Tokens } from './key';
import { createSession, createSignInCode, invalidSignInCode, type SignInStore } from './sign-in';

/** Creates the handlers of the endpoints with which people sign in. */
export function signInRoutes(
  signIns: SignInStore,
  tokens: Tokens,
  clock: Clock,
  newId: IdGenerator,
): {
  signInCodes: RouteHandlers<typeof contract.signInCodes>;
  sessions: RouteHandlers<typeof contract.sessions>;
} {
  return {
    signInCodes: {
      async create({ caller }) {
        rejectSession(caller, 'sign-in codes');
        const code = tokens.create('tpc');
        const record = createSignInCode(caller, code, tokens, createContext(clock, newId));
        await signIns.addCode(record);
        const expiresAt = formatTimestamp(record.expiresAt);
        return { status: 201, body: { data: { code, expiresAt } } };
      },
    },

    sessions: {
      async create({ body }) {
        const context = createContext(clock, newId);
        const key = tokens.create('tpk');
        const hash = tokens.hash(body.code);
        const session = await signIns.exchangeCode(hash, context.now, (maker) =>
          createSession(maker, key, tokens, context),
        );
        if (session === null) throw invalidSignInCode();
        const account = toAccountResponse(session.account, session.key);
        return { status: 201, body: { data: { key, account } } };
      },
    },
  };
}

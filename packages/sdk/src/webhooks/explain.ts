import { checkOnTheWeb } from './check-on-the-web';
import { checkSync } from './check-sync';
import type { Checking } from './claim';
import { serviceSignature, webhookSignature } from './delivery-header-names';
import { type Attempted, describeRefusal } from './describe-refusal';
import { diagnoseMismatch } from './diagnose-mismatch';
import { headerOf } from './header-of';
import { type NodeCrypto, nodeCrypto } from './node-crypto';
import { rawBodyAdvice } from './raw-body-advice';
import { rawBytes } from './raw-bytes';
import { type Refusal, refuse } from './refusal';
import type { WebhookVerificationErrorCode } from './webhook-verification-error';

/**
 * What a refusal is called, and what it says. The error is made by who throws it: where this is in a
 * file of its own, it has no class in common with it.
 */
type Explanation = [code: WebhookVerificationErrorCode, message: string];

/**
 * Puts a refusal into words, with the fix for the framework in use, and looks for the cause of a
 * mismatch where `diagnose` allows it.
 *
 * @param stack of the call, to tell the framework by
 */
export async function explain(
  refusal: Refusal,
  attempted: Attempted,
  stack: string | undefined,
): Promise<Explanation> {
  const crypto = nodeCrypto();
  return crypto
    ? explainSync(refusal, attempted, stack, crypto)
    : checkOnTheWeb(explaining(refusal, attempted, stack));
}

/** As `explain`, without a promise. */
export function explainSync(
  refusal: Refusal,
  attempted: Attempted,
  stack: string | undefined,
  crypto: NodeCrypto,
): Explanation {
  return checkSync(explaining(refusal, attempted, stack), crypto);
}

function* explaining(given: Refusal, attempted: Attempted, stack = ''): Checking<Explanation> {
  const refusal = isMalformed(given, attempted)
    ? refuse('MALFORMED_SIGNATURE', given.about)
    : given;
  const { diagnose = isDevelopment() } = attempted;
  const payload = rawBytes(attempted.payload);
  const isMismatch = refusal.refused === 'SIGNATURE_MISMATCH' && refusal.about === serviceSignature;
  const cause =
    diagnose && isMismatch && payload !== null
      ? yield* diagnoseMismatch({ ...attempted, payload })
      : null;
  const { code, text } = describeRefusal(cause ?? refusal, attempted);
  const advice = /^BODY_(PARSED|RES)/.test(code) ? ` ${rawBodyAdvice(stack)}` : '';
  return [code, `${text}${advice}`];
}

/** Tells whether a signature does not match because no service could have written it. */
function isMalformed({ refused, about }: Refusal, { headers, signature }: Attempted): boolean {
  if (refused !== 'SIGNATURE_MISMATCH') return false;
  return about === serviceSignature
    ? !/^[0-9a-f]{64}$/.test(signature || headerOf(headers, serviceSignature))
    : !/(^| )v1,\S{44}( |$)/.test(headerOf(headers, webhookSignature));
}

/** Costly diagnosis is for the developer: whoever sends forgeries to production must not cause it. */
function isDevelopment(): boolean {
  return typeof process !== 'undefined' && process.env.NODE_ENV !== 'production';
}

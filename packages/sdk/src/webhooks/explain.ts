import { holdsOnTheWeb } from './check-on-the-web';
import { serviceSignature, webhookSignature, webhookTimestamp } from './delivery-header-names';
import { type Attempted, describeRefusal } from './describe-refusal';
import { diagnoseMismatch } from './diagnose-mismatch';
import type { Examined } from './examine';
import { headerOf } from './header-of';
import { holdsSync } from './holds-sync';
import { isDevelopment } from './is-development';
import { type NodeCrypto, nodeCrypto } from './node-crypto';
import { rawBodyAdvice } from './raw-body-advice';
import { rawBytes } from './raw-bytes';
import { type Refusal, refuse } from './refusal';
import { type Search, searchAsync, searchSync } from './search';
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
    : searchAsync(explaining(refusal, attempted, stack), holdsOnTheWeb);
}

/** As `explain`, without a promise. */
export function explainSync(
  refusal: Refusal,
  attempted: Attempted,
  stack: string | undefined,
  crypto: NodeCrypto,
): Explanation {
  return searchSync(explaining(refusal, attempted, stack), holdsSync(crypto));
}

function* explaining(given: Refusal, attempted: Attempted, stack = ''): Search<Explanation> {
  const refusal = refine(given, attempted);
  const { diagnose = isDevelopment() } = attempted;
  const payload = rawBytes(attempted.payload);
  const isMismatch = refusal.refused === 'SIGNATURE_MISMATCH' && refusal.about === serviceSignature;
  const cause =
    diagnose && isMismatch && payload !== null
      ? yield* diagnoseIfPossible({ ...attempted, payload })
      : null;
  const { code, text } = describeRefusal(cause ?? refusal, attempted);
  const advice = /^BODY_(PARSED|RES)/.test(code) ? ` ${rawBodyAdvice(stack)}` : '';
  return [code, `${text}${advice}`];
}

/** Says more exactly what the check itself leaves open, which does no more than it must. */
function refine(given: Refusal, { headers, signature }: Attempted): Refusal {
  const { refused, about } = given;
  const isTimestamp = /^\d{1,12}$/.test(headerOf(headers, webhookTimestamp));
  if (refused === 'TIMESTAMP_TOO_OLD') {
    if (!isTimestamp) return refuse('MALFORMED_TIMESTAMP');
    return Number(about) < 0 ? refuse('TIMESTAMP_TOO_NEW', -Number(about)) : given;
  }
  if (refused !== 'SIGNATURE_MISMATCH') return given;
  if (about === serviceSignature) {
    const value = signature || headerOf(headers, serviceSignature);
    return /^[0-9a-f]{64}$/.test(value) ? given : refuse('MALFORMED_SIGNATURE', about);
  }
  if (!isTimestamp) return refuse('MALFORMED_TIMESTAMP');
  const isSigned = /(^| )v1,\S{44}( |$)/.test(headerOf(headers, webhookSignature));
  return isSigned ? given : refuse('MALFORMED_SIGNATURE', about);
}

/** A body can be made so that it cannot be written again, such as by thousands of brackets. */
function* diagnoseIfPossible(examined: Examined): Search<Refusal | null> {
  try {
    return yield* diagnoseMismatch(examined);
  } catch {
    return null;
  }
}

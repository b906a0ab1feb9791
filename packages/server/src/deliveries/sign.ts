import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';

/** `Service-Signature`: lowercase hex HMAC-SHA256 of the body, keyed with the whole secret text. Source: the interface, "Signature". */
export function signBody(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** `webhook-signature` as Standard Webhooks has it: keyed with the bytes that follow `whsec_`. */
export function signStandard(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

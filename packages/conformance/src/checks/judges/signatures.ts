import { createHash, createHmac } from 'node:crypto';
import { accountNames } from '../../profile/profile';
import type { Delivery } from '../../receiver/receiver';
import { allDeliveries, deliveriesTo, type Facts, type Webhook } from '../../run/facts';
import { listPointers } from '../../run/run';
import { type Call, isAccepted, isObject } from '../../service/call';
import { expect, fail, inconclusive, type Judge, type Judgement, pass, show } from '../check';

const listSignatures = ({ headers }: Delivery): string[] =>
  headers.filter(([name]) => /^service-signature$/i.test(name)).map(([, content]) => content);

const hmac = (key: string | Buffer, body: string | Buffer, hash = 'sha256') =>
  createHmac(hash, key).update(body).digest('hex');

/** Sorts the fields of all objects. */
function sorted(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(sorted);
  if (!isObject(json)) return json;
  return Object.fromEntries(
    Object.keys(json)
      .sort()
      .map((name) => [name, sorted(json[name])]),
  );
}

const escapeNonAscii = (text: string) =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Finds the usual mistake that explains a signature. */
function explain(facts: Facts, webhook: Webhook, delivery: Delivery, signature: string): string {
  const { body, json, headers } = delivery;
  const secret = webhook.secret ?? '';
  const bare = secret.replace(/^[a-z]+_/, '');
  const compact = JSON.stringify(json) ?? '';
  const bodies: [string, string | Buffer][] = [
    ['the raw body', body],
    ['the body, serialized compactly', compact],
    ['the body, serialized with an indentation of 2', JSON.stringify(json, null, 2) ?? ''],
    ['the body, serialized with sorted fields', JSON.stringify(sorted(json)) ?? ''],
    ['the body, serialized with escaped characters', escapeNonAscii(compact)],
    ['the body and a line end', `${body}\n`],
    ...headers.map(([name, value]): [string, string] => [
      `${name}, "." and body`,
      `${value}.${body}`,
    ]),
  ];
  const others = facts.webhooks.filter((one) => one !== webhook);
  const keys: [string, string | Buffer][] = [
    ['the secret', secret],
    ['the secret without its prefix', bare],
    ['the secret, decoded from base64', Buffer.from(bare, 'base64')],
    ['the secret, decoded from hexadecimal', Buffer.from(bare, 'hex')],
    ['the SHA-256 of the secret', createHash('sha256').update(secret).digest()],
    ['an empty key', ''],
    ['the id of the webhook', webhook.id ?? ''],
    ...accountNames.map((name): [string, string] => [
      `a key (${name})`,
      facts.profile.keys[name] ?? '',
    ]),
    ...others.map(({ name, secret: other }): [string, string] => [
      `the secret of ${name}`,
      other ?? '',
    ]),
  ];
  const given = signature.toLowerCase().replace(/^(sha\d+|v\d)[=,]/, '');
  for (const hash of ['sha256', 'sha1', 'sha512']) {
    for (const [keyName, key] of keys) {
      const found = bodies.find(([, content]) => hmac(key, content, hash) === given);
      if (found)
        return `It is the HMAC-${hash.toUpperCase()} of ${found[0]}, keyed with ${keyName}.`;
    }
  }
  return 'No usual mistake explains it.';
}

/** Why the signing secret of a webhook is not known, with the names of the fields that there are. */
function noSecret({ profile }: Facts, { json }: Call): string {
  const data = isObject(json) && isObject(json.data) ? json.data : json;
  const names = isObject(data) ? Object.keys(data).join(', ') : 'none';
  return `No signing secret is at ${listPointers(profile).join(', ')} of the response, whose fields are: ${names}. Name its place in webhooks.secret.`;
}

export const judgeSignatures = {
  'SIG-1': (facts) =>
    allDeliveries(facts).map((delivery) => {
      const { length } = listSignatures(delivery);
      return expect(length === 1, `A delivery has ${length} headers Service-Signature.`, delivery);
    }),
  'SIG-2': (facts) =>
    allDeliveries(facts).flatMap((delivery) =>
      listSignatures(delivery).map((one) =>
        expect(/^[0-9a-f]{64}$/.test(one), `Service-Signature is ${show(one)}.`, delivery),
      ),
    ),
  'SIG-3': (facts) =>
    facts.webhooks.flatMap((webhook): Judgement[] => {
      const { secret, call, name } = webhook;
      if (!isAccepted(call)) return [];
      const signed = deliveriesTo(facts, name).filter((one) => listSignatures(one).length > 0);
      if (secret === null) return signed.length > 0 ? [inconclusive(noSecret(facts, call))] : [];
      const sign = ({ body }: Delivery) => hmac(secret, body);
      const read = (delivery: Delivery) => listSignatures(delivery)[0] ?? '';
      // Uppercase is SIG-2.
      const wrong = signed.filter((one) => read(one).toLowerCase() !== sign(one));
      const right = signed.length - wrong.length;
      const others = right > 0 ? ` ${right} others to this webhook are signed rightly.` : '';
      // One mistake explains all deliveries to a webhook, and a search takes long.
      const cause = wrong[0] ? explain(facts, webhook, wrong[0], read(wrong[0])) + others : '';
      return signed.map((one) =>
        wrong.includes(one)
          ? fail(`Expected ${sign(one)}, got ${show(read(one))}. ${cause}`, call, one)
          : pass,
      );
    }),
  'SIG-4': (facts) =>
    allDeliveries(facts).map((delivery) => {
      const keys = accountNames.map((name) => facts.profile.keys[name]);
      const leaking = delivery.headers.find(([, value]) =>
        keys.some((key) => key !== undefined && value.includes(key)),
      );
      return expect(!leaking, `The header ${leaking?.[0]} has an API key.`, delivery);
    }),
} satisfies Record<string, Judge>;

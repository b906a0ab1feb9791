import { DomainError } from '../domain-error';
import { isLocalName, isPublicAddress, literalAddress } from './public-address';
import { isSensiblePort } from './sensible-port';

/** Which endpoints deliveries may go to. */
export interface WebhookPolicy {
  /** Refuse `http://`. */
  requireHttps: boolean;
  /** Refuse addresses that are not public: loopback, private, link-local and their like. */
  publicAddressesOnly: boolean;
  /** Refuse ports where no receiver listens: those below 1024 but the scheme's own, and those of other services. */
  sensiblePortsOnly: boolean;
  /** Refuse a TLS certificate that does not verify. */
  verifyCertificates: boolean;
}

/** What holds unless the operator says otherwise. */
export const strictWebhookPolicy: WebhookPolicy = {
  requireHttps: true,
  publicAddressesOnly: true,
  sensiblePortsOnly: true,
  verifyCertificates: true,
};

/** For development: plain HTTP, private addresses, any port and self-signed certificates are let through. */
export const insecureWebhookPolicy: WebhookPolicy = {
  requireHttps: false,
  publicAddressesOnly: false,
  sensiblePortsOnly: false,
  verifyCertificates: false,
};

/** Where a connection is to lead, in the words of `URL`. */
export interface Destination {
  /** Such as `https:`. */
  protocol: string;
  /** A name or an address; one of IPv6 with or without its brackets. */
  hostname: string;
  /** Empty for the scheme's own. */
  port: string;
}

/** What a policy can have against a destination that has not been looked up yet. */
export type Objection = 'address' | 'scheme' | 'port';

/** What a policy has against a destination; null when it lets it through, as far as can be told without DNS. */
export function objectionTo(
  { protocol, hostname, port }: Destination,
  policy: WebhookPolicy,
): Objection | null {
  if (policy.publicAddressesOnly) {
    const address = literalAddress(hostname);
    if (address === null ? isLocalName(hostname) : !isPublicAddress(address)) return 'address';
  }
  if (policy.requireHttps && protocol !== 'https:') return 'scheme';
  if (policy.sensiblePortsOnly && !isSensiblePort(port)) return 'port';
  return null;
}

const explanations: Record<Objection, string> = {
  address: 'must name a public host: deliveries do not go to local or private addresses',
  scheme: 'must begin with https://',
  port: 'must use port 443, or one from 1024 up that is not known for another service, such as 8443',
};

/**
 * Refuses a webhook's URL that the policy plainly forbids when it is registered. Names that resolve to
 * a forbidden address are caught when the connection is made.
 *
 * @param text A URL as the contract lets it through: absolute, without credentials or fragment.
 *
 * @returns The URL in its normal form.
 * @throws DomainError `validation_failed`, naming `url`.
 */
export function checkWebhookUrl(text: string, policy: WebhookPolicy): string {
  const url = new URL(text);
  const objection = objectionTo(url, policy);
  if (objection !== null) {
    const message = explanations[objection];
    throw new DomainError('validation_failed', `The webhook's url ${message}.`, [
      { path: 'url', message },
    ]);
  }
  return url.href;
}

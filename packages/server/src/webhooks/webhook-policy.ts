import { DomainError } from '../domain-error';
import { isPublicAddress, literalAddress } from './public-address';

/** Which endpoints deliveries may go to. */
export interface WebhookPolicy {
  /** Refuse `http://`. */
  requireHttps: boolean;
  /** Refuse addresses that are not public: loopback, private, link-local and their like. */
  publicAddressesOnly: boolean;
  /** Refuse a TLS certificate that does not verify. */
  verifyCertificates: boolean;
}

/** What holds unless the operator says otherwise. */
export const strictWebhookPolicy: WebhookPolicy = {
  requireHttps: true,
  publicAddressesOnly: true,
  verifyCertificates: true,
};

/** For development: plain HTTP, private addresses and self-signed certificates are let through. */
export const insecureWebhookPolicy: WebhookPolicy = {
  requireHttps: false,
  publicAddressesOnly: false,
  verifyCertificates: false,
};

function refused(message: string): DomainError {
  return new DomainError('validation_failed', `The webhook's url ${message}.`, [
    { path: 'url', message },
  ]);
}

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
  if (policy.requireHttps && url.protocol !== 'https:') throw refused('must begin with https://');
  if (policy.publicAddressesOnly) {
    const address = literalAddress(url.hostname);
    const isLocalName = /(^|\.)localhost\.?$/.test(url.hostname);
    if (isLocalName || (address !== null && !isPublicAddress(address))) {
      throw refused('must name a public host: deliveries do not go to local or private addresses');
    }
  }
  return url.href;
}

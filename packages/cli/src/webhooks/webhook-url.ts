import { InvalidArgument } from '../input/invalid-argument';

/**
 * Reads the URL of an endpoint. Whether deliveries may go there is the service's own decision.
 *
 * @throws {InvalidArgument} for what is no absolute http or https URL.
 */
export function parseWebhookUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgument('It must be an absolute https:// URL.');
  }
  return text;
}

import {
  type SignDeliveryOptions,
  type SignedDelivery,
  signDelivery,
} from '@tradepost/sdk/testing';
import { CliError } from '../cli-error';
import { messageOf } from '../message-of';

/**
 * Signs a delivery as the service does.
 *
 * @throws {CliError} `usage` for a secret that cannot sign.
 */
export async function signedBy(options: SignDeliveryOptions): Promise<SignedDelivery> {
  try {
    return await signDelivery(options);
  } catch (error) {
    throw new CliError(
      'usage',
      `the secret cannot sign: ${messageOf(error)}`,
      'The file must have the secret whole, whsec_ included, as its registration told it.',
    );
  }
}

import { Tradepost } from '@tradepost/sdk';
import { messageOf } from '../message-of';

/** @throws {TradepostError} `invalid_configuration` when a text cannot be the base URL of a service. */
export function checkBaseUrl(baseUrl: string): void {
  // The client has the rules. It is made for that alone: nothing is sent.
  new Tradepost({ baseUrl, apiKey: 'none' });
}

/** Why a text cannot be the base URL of a service; null when it can. */
export function baseUrlFault(baseUrl: string): string | null {
  try {
    checkBaseUrl(baseUrl);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Whether others on the way can read the key: http to another machine than this one. */
export function isOpenOnTheWay(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(127\.\d+\.\d+\.\d+|\[::1\]|(.*\.)?localhost)$/.test(hostname);
}

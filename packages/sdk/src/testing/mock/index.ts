/** The service in memory: a file of its own in `dist`, because it imports the client, which receivers do not need. */
export type { MockTime } from './clock';
export type { MockDeliverOptions, MockReceiver } from './deliver';
export type { MockErrorResponse, MockFailOptions, MockFailure } from './failures';
export {
  type MockClientOptions,
  type MockTradepost,
  type MockTradepostOptions,
  mockTradepost,
} from './mock-tradepost';
export type { MockOperation } from './operations';
export type { MockRequest } from './request';
export type {
  MockAccount,
  MockAccountOverrides,
  MockAccounts,
  MockListing,
  MockListingOverrides,
  MockNotificationOverrides,
  MockOrderOverrides,
} from './seed';

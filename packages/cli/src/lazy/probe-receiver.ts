/** The probe alone: bundled from here, it comes without the mock of `@tradepost/sdk/testing`. */
export { probeReceiver } from '@tradepost/sdk/testing';

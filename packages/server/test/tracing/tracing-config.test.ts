import { expect, test } from 'vitest';
import { readTracingConfig } from '../../src/tracing/start-tracing';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each([
  ['an endpoint', endpoint],
  ['an endpoint for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector/v1/traces' }],
  ['the exporter', { OTEL_TRACES_EXPORTER: 'otlp' }],
])('%s turns traces on, as protobuf', (_, env) => {
  expect(readTracingConfig(env)).toEqual({ protocol: 'http/protobuf' });
});

test.each([
  ['no variable', {}],
  ['only a service name', { OTEL_SERVICE_NAME: 'trade' }],
  ['empty variables', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: ' ' }],
  ['the exporter none', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
  ['a disabled SDK', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
])('%s leaves traces off', (_, env) => {
  expect(readTracingConfig(env)).toBeNull();
});

test('the protocol for traces overrides the one for all signals', () => {
  const env = {
    ...endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
  };
  expect(readTracingConfig(env)).toEqual({ protocol: 'http/json' });
});

test('an unsupported exporter or protocol is rejected with what to set instead', () => {
  expect(() => readTracingConfig({ OTEL_TRACES_EXPORTER: 'console' })).toThrow(
    'OTEL_TRACES_EXPORTER=console is not supported. Set it to otlp, or to none to turn traces off.',
  );
  expect(() => readTracingConfig({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(
    'OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported. Set it to http/protobuf or http/json',
  );
});

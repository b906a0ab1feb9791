/**
 * Stands in for `node:assert` in bundles. Node makes the message of an assertion that has none from the source, and parses the
 * line where it failed for that: seconds for a line of a minified bundle, which can be half a megabyte long. Libraries assert what
 * they have received from the network, so each such response would cost its sender nothing and the process seconds.
 */
class AssertionError extends Error {
  name = 'AssertionError';
  code = 'ERR_ASSERTION';
}

module.exports = function assert(value, message = 'An assertion failed.') {
  if (value) return;
  throw message instanceof Error ? message : new AssertionError(message);
};

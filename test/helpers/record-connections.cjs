// Loaded into a process before its own code. Records each connection that it opens and each host that it
// looks up.
const { appendFileSync } = require('node:fs');
const { Socket } = require('node:net');
const dns = require('node:dns');

const record = (what) => appendFileSync(process.env.RECORDED_CONNECTIONS, `${what}\n`);

const { connect } = Socket.prototype;
Socket.prototype.connect = function recorded(...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  record(`connect ${first?.host ?? ''}:${first?.port ?? first?.path ?? first}`);
  return connect.apply(this, args);
};

const { lookup } = dns;
dns.lookup = (host, ...rest) => {
  record(`look up ${host}`);
  return lookup(host, ...rest);
};

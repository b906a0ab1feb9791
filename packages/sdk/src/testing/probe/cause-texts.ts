const raw = 'Compute the HMAC over the bytes of the body as received, before any parser.';
const whole = 'The key of Service-Signature is the whole text of the secret, with whsec_';
const again = 'the service sends it again for 24 hours';
const fixed = 'Respond with a fixed text.';

/** What is wrong, and what to do, by the name of the cause: the most telling first. A case is explained by the first cause that has it. */
export const causeTexts = {
  'leaks the signature': `A response has the right signature of the request: anyone can ask for it and sign with it. ${fixed}`,
  'leaks the secret': `A response has a signing secret. ${fixed} Rotate the secret.`,
  'leaks a stack': `A response has a stack trace. ${fixed} Set NODE_ENV=production, or what your framework has.`,
  'stopped responding':
    'It accepted connections at first, and then none: most likely the first of these cases, or the one before, ended its process. Catch errors of the verification. Look at the log of the receiver.',
  'no TLS': 'It does not speak TLS at this port. Use http, or the port of https.',
  'TLS error':
    'The TLS connection failed: the service sends nothing to a certificate that it cannot verify. Serve the whole certificate chain of this host. For your own CA, set NODE_EXTRA_CA_CERTS.',
  'too slow':
    'It did not respond in time, or did not end its response. The service waits 15 s. Store the event, respond, then do the work. Respond also if a handler throws, and to what is refused.',
  unreachable:
    'Nothing listens at this address. Check the host and the port, and start the receiver.',
  'no response':
    'It closes the connection without a response. Look at its log: it may fail before it responds, or speak something other than HTTP.',
  'rate limited':
    'It responded with 429, which says nothing about the delivery, so the rest was not sent. Raise its limit of requests while it is probed.',
  unavailable: `It responded with 503, so ${again}. Look at the log of the receiver, and of what is in front of it.`,
  'auth or CSRF in front':
    'Something in front asks for a login or a CSRF token, which deliveries do not have. Exempt this path: the signature authenticates deliveries.',
  redirect:
    'It redirects to {location}. The service follows no redirects. Register the URL that responds itself: often with https, or a slash at the end.',
  'wrong path': 'It responds with 404. Check the path of the URL.',
  'method not allowed': 'It takes no POST. Add a route for POST.',
  'stopped accepting':
    'It accepted genuine deliveries at first, and not one at the end: it blocks or limits the sender, or a wrong request broke it. What it refused may prove nothing.',
  'body limit':
    'It refuses a body of 256 kB, or one of less. Events are smaller than that today. Allow 1 MB.',
  'content type': 'It takes only an exact content type. Accept parameters after application/json.',
  'encodes otherwise':
    'It compares Service-Signature with upper case, base64 or a prefix. Encode the HMAC as lowercase hexadecimal digits, and compare the whole header.',
  'wrong form of the secret': `Its key is the secret in a wrong form: decoded, not decoded, without whsec_, or with a line end. ${whole}; that of webhook-signature is what follows whsec_, decoded from base64.`,
  'parses and serializes': `It verifies what it parsed and serialized again, in place of the bytes that it received. ${raw}`,
  'trims the body': `It verifies the body without its white space at the end. ${raw}`,
  'reads type':
    'It reads the event type from a field type, which deliveries do not have. Read the field event.',
  'wrong secret': `It refuses every genuine delivery: it has another secret than the probe, something in front refuses them, or it fails before it verifies. ${whole}. Look at the log of the receiver.`,
  'refuses unknown types': `It refuses a type of event that it does not know. If its webhook subscribes to that, ${again}. Respond with 2xx to types that you do not handle.`,
  'refuses unknown fields':
    'It refuses fields that it does not know. Later versions of the service may add some. Ignore unknown fields.',
  'decodes the body': `It verifies a text that it decoded in a way that loses characters beyond ASCII. ${raw}`,
  'no chunked bodies':
    'It does not read a body with Transfer-Encoding: chunked, which proxies may send. Read the body to its end, not by Content-Length.',
  'decodes pieces':
    'It decodes each piece of the body alone, which loses a character that is split between two. Join the bytes, verify, then decode.',
  'case-sensitive headers':
    'It finds headers in one spelling only. Proxies change it. Look up headers without regard to case.',
  'tight tolerance':
    'It refuses what was signed 280 s ago or ahead: it tolerates less than 300 s, or its clock is off. Tolerate 300 s, and synchronize the clock.',
  'first signature only':
    'It verifies one signature of webhook-signature. There are two while a new secret is staged. Split the header at spaces, and accept any right signature.',
  'lacks the next secret':
    'It refuses what the next secret signed: promoting it would lose deliveries. Accept both secrets first.',
  'refuses duplicates': `It refuses a second copy of a delivery, so ${again}. Respond with 2xx to what was handled before.`,
  'handles twice':
    'A delivery that came twice had its effect twice. Record webhook-id, which stays the same at each attempt, in the transaction of the effect, and skip what is recorded.',
  'no verification': `It accepts forged deliveries: it does not verify them, or not before it responds. ${raw} Compare it with the header in constant time, and respond with 400 if it differs.`,
  'skips unsigned requests':
    'It verifies a signature only if there is one. Refuse requests without a signature.',
  'guessable key':
    'It accepts an empty key, the text undefined, or the ID of the webhook: its secret, or one of several, is missing. Stop at the start if the secret is missing.',
  'compares a part':
    'It compares a part of the signature, which can be guessed. Compare the lengths, then the whole value in constant time.',
  'ignores the timestamp':
    'It accepts what was signed 360 s ago: a captured delivery can be sent again at any time. Refuse a webhook-timestamp that is more than 300 s from now.',
  replays:
    'A captured delivery can be sent again: Service-Signature covers only the body, and the webhook- headers can be changed or removed. If the service sends webhook-signature, require it, and verify ID and time with it.',
  'accepts forged deliveries': `It accepts a request that needs no secret. ${raw}`,
  'fails without a signature':
    'A request without a signature causes a server error, or ends the connection. Respond with 400 if a header is missing.',
  'fails on malformed signatures':
    'A signature of another length, or one that cannot be decoded, causes a server error: decoders and comparisons in constant time throw. Compare the lengths in bytes first, and catch errors of decoders.',
  'fails on forged deliveries':
    'A forged delivery causes a server error, or ends the connection. Catch errors of the verification, and respond with 400.',
  'acts before it verifies': 'It refused a request, but acted on it. Verify first.',
  'effects not judged':
    "It accepted deliveries, but no effect was counted within 500 ms, so effects were not judged from there on. Count something that rises at once, and let the receiver act on test events: with the SDK by test: 'deliver'.",
  lenient:
    'It accepts what only the service can sign, in a form that the service does not send; or it responds with 2xx to a GET. That does no harm.',
  busy: 'It accepts one of two simultaneous copies, and asks for the other one again later. That is right.',
  other: `It refuses a delivery that the service may send, so ${again}. Look at the log of the receiver.`,
} as const;

/** The name of a cause. */
export type CauseName = keyof typeof causeTexts;

import { placeholders } from './profile';

/** Where the profile that `init` writes has the certificate of the kit's authority, beside it. */
export const caFileName = 'conformance-ca.pem';

/** The profile that `init` writes: what is needed, and what may be set. */
export const exampleProfile = `# Describes a service for: tradepost-conformance check
# The run creates about 12 orders, and 45 for the extensions, changes their statuses and registers webhooks: use accounts that are made for it.

# What stands before /v1.
baseUrl: ${placeholders.baseUrl}

# A key is a text, { env: NAME } or { file: PATH }, relative to this file. Reports show $KEY_BUYER instead.
keys:
  buyer: { env: KEY_BUYER }
  seller: { env: KEY_SELLER } # of the account that sells the listing
  agent: { env: KEY_AGENT }
  stranger: { env: KEY_STRANGER } # a buyer who is no party of the orders
  # strangerSeller: { env: KEY_STRANGER_SELLER }
# stranger: operator # if that account may see all orders

# A listing of the seller with at least 30 units, 90 for the extensions, or a command that prints the ID of one.
listing: ${placeholders.listing}
# listing: { command: [./new-listing, --units, "30"] }
# listingWithAgent: ${placeholders.listing} # if orders of the first listing have no agent

# Only if a new order is not pending: a command that makes it so. The order's ID is its last argument.
# pending: { command: [./make-pending] }

# Where the response to POST /v1/webhooks has the signing secret. By default, usual places are tried.
# A command gets the body as its input, and RESPONSE_STATUS and RESPONSE_HEADERS (a JSON object, names in lower case) in
# its environment. It prints the secret.
# webhooks:
#   secret: { pointer: /data/secret } # or { fixed: { env: SECRET } }, or { command: [./secret] }

# Where the service sends deliveries during the run. One of:
receiver:
  # Signed by an authority of the kit, which \`init\` creates: make the service trust the certificate in caFile.
  https: { host: 127.0.0.1, port: 8443, caFile: ./${caFileName} }
  # publicUrl: https://tunnel.example/hooks # forwards to the address where the kit listens
  # listen: { host: 127.0.0.1, port: 8080 }
  # http: { host: 127.0.0.1, port: 8080 } # needs a waiver of EVT-3

# What you know about the service. Shorter times make the run shorter, and let an absent retry fail.
# events: { withinSeconds: 30, quietSeconds: 5 }
# retries: { firstWithinSeconds: 10, factor: 3, maxSeconds: 3600, timeoutSeconds: 15 }

# Extensions that the service must have, beside those that it names itself in Tradepost-Extensions. One that is not named and not
# listed here is not checked.
# extensions: [idempotency, if-match, problems, rate-limit, standard-webhooks]
# provokeRateLimit: true # if the run may send requests until a 429

# Failures that you accept: of derived checks, and of EVT-3. One that no longer fails is reported as a failure.
# waivers:
#   - { check: EVT-13, reason: reads follow a second after the event }
`;

import { soundSteps } from '../steps.ts'
import {
  authenticateAs,
  type BrokenReceiver,
  broken,
  macMatches,
  orElse,
  timeless,
  withJoined,
} from './fault.ts'

const { authenticate } = soundSteps

export const signatures: readonly BrokenReceiver[] = [
  broken('does not verify an id that it knows', 'signature.altered', () => ({
    authenticate: orElse(({ joined }, { disk }) => disk.events.has(joined['webhook-id'] ?? '')),
  })),
  broken('decodes the body to text before it verifies', 'signature.raw-bytes', () => ({
    authenticate: authenticateAs(({ body }) => ({ body: throughText(body) })),
    parse: (body) => soundSteps.parse(throughText(body)),
  })),
  broken('verifies the body as it serializes it', 'signature.exact-bytes', () => ({
    authenticate: authenticateAs(({ body }) => ({ body: serialized(body) })),
  })),
  broken('does not look at the scheme of a signature', 'signature.wrong-key', () => ({
    authenticate: orElse((inbound, around) =>
      macMatches(inbound, around, (entry, expected) => entry.split(',')[1] === expected),
    ),
  })),
  broken('lets messages without a signature pass', 'signature.missing', () => ({
    authenticate: orElse(
      ({ joined }) => !joined['webhook-signature'] && !joined['x-service-signature'],
    ),
  })),
  broken('compares over the shorter length', 'signature.malformed', () => ({
    authenticate: orElse((inbound, around) =>
      macMatches(inbound, around, (entry, expected) => `v1,${expected}`.startsWith(entry)),
    ),
  })),
  broken('takes URL-safe base64', 'signature.malformed', () => ({
    authenticate: authenticateAs((inbound) =>
      withJoined(inbound, {
        'webhook-signature': (inbound.joined['webhook-signature'] ?? '')
          .replaceAll('-', '+')
          .replaceAll('_', '/'),
      }),
    ),
  })),
  broken('checks the first signature only', 'signature.one-of-many', () => ({
    authenticate: authenticateAs((inbound) =>
      withJoined(inbound, {
        'webhook-signature': (inbound.joined['webhook-signature'] ?? '').split(' ')[0] ?? '',
      }),
    ),
  })),
  broken('verifies as many signatures as there are', 'signature.bounded', () => ({
    maxHeaderSize: 262_144,
    authenticate: orElse((inbound, around) =>
      (inbound.joined['webhook-signature'] ?? '')
        .split(' ')
        .some(
          (entry) =>
            authenticate(
              { ...inbound, ...withJoined(inbound, { 'webhook-signature': entry }) },
              around,
            ).ok,
        ),
    ),
  })),
]

/** Every invalid byte becomes U+FFFD. */
function throughText(body: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(body).toString('utf8'))
}

function serialized(body: Uint8Array): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8'))))
  } catch {
    return body
  }
}

export const timestamps: readonly BrokenReceiver[] = [
  broken('ignores the timestamp', 'timestamp.window', () => ({
    authenticate: timeless(() => true),
  })),
  broken('refuses old messages, not those from the future', 'timestamp.window', () => ({
    authenticate: timeless((age) => age < 0),
  })),
  broken('allows one second more', 'timestamp.exact', () => ({
    authenticate: timeless((age) => age === 301),
  })),
  broken('reads the timestamp with parseInt', 'timestamp.grammar', () => ({
    authenticate: orElse((inbound, around) => {
      const seconds = Number.parseInt(inbound.joined['webhook-timestamp'] ?? '', 10)
      const near = Math.abs(seconds - around.now() / 1000) <= 300
      return near && macMatches(inbound, around, (entry, expected) => entry === `v1,${expected}`)
    }),
  })),
]

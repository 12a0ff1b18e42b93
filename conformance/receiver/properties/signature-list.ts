import { encodeBase64 } from '@countersign/core/signing'
import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { withHeaders } from '../messages.ts'
import { property } from '../property.ts'

const header = 'webhook-signature'

const decoy = fc.oneof(
  fc.constantFrom('v9,AAAA', 'v1,', 'v1a,', 'v2,c2lnbmF0dXJl'),
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `v1,${encodeBase64(bytes)}`),
  fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => `v1a,${encodeBase64(bytes)}`),
)

export const oneOfMany = property({
  name: 'signature.one-of-many',
  everyFamily: 'each case',
  promise: 'one valid signature among others is enough, wherever it stands',
  advice:
    'Split webhook-signature at spaces and accept when any entry verifies; pass over schemes that you do not know. While a key rotates, every message carries two.',
  each: [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
    [3, 3],
    [7, 0],
    [0, 7],
  ].flatMap(([before = 0, after = 0]) =>
    ['v9,AAAA', `v1,${'A'.repeat(43)}=`].map((one) => ({
      before: Array.from({ length: before }, () => one),
      after: Array.from({ length: after }, () => one),
      key: 0,
    })),
  ),
  histories: fc.record({
    before: fc.array(decoy, { maxLength: 7 }),
    after: fc.array(decoy, { maxLength: 7 }),
    key: anyKey,
  }),
  async play(session, { before, after, key }) {
    const message = session.sign(session.event(), { key })
    const entries = [...before, String(message.headers[header]), ...after]
    const label = `the valid signature is number ${before.length + 1} of ${entries.length}`
    await session.accept({
      ...withHeaders(message, { [header]: entries.join(' ') }),
      label: `${message.label}, ${label}`,
    })
  },
})

export const bounded = property({
  name: 'signature.bounded',
  everyFamily: 'each case',
  level: 'hardening',
  promise: 'a list of a thousand signatures, or one of 65 KB, is refused unread',
  advice:
    'Refuse a webhook-signature of more than 16 entries or 8 KB before verifying any: each entry costs you a verification, and a rotation needs two.',
  each: [
    { entries: 1_000, long: false, key: 0 },
    { entries: 1_500, long: false, key: 0 },
    { entries: 0, long: true, key: 0 },
  ],
  async play(session, { entries, long, key }) {
    const message = session.sign(session.event(), { key })
    const genuine = String(message.headers[header])
    const value = long
      ? `v1,${'A'.repeat(65_000)} ${genuine}`
      : `${'v1,AA '.repeat(entries)}${genuine}`
    const label = long
      ? 'a valid signature after 65 KB'
      : `a valid signature after ${entries} others`
    await session.refuse(
      { ...withHeaders(message, { [header]: value }), label: `${message.label}, ${label}` },
      { cut: true },
    )
    await session.accept(session.sign(session.event(), { key }))
  },
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { timeStampSuite } from '@countersign/conformance/time-stamps'
import { readTimeStamp } from '@countersign/core/evidence'
import type { TimeStampAuthority } from '@countersign/core/ports'
import { plainAuthority, unsignedTimeStamp } from '@countersign/core/testing'
import { failuresOf } from './run-suite.ts'

const now = Date.UTC(2026, 0, 1)
const sound = plainAuthority(() => now)
const rejecting: TimeStampAuthority = { stamp: async () => Promise.reject(new Error('out')) }

const failures = (stamp: TimeStampAuthority['stamp'], failing = rejecting) =>
  failuresOf((test) =>
    timeStampSuite({
      test,
      create: async () => ({ stamp }),
      readStamp: readTimeStamp,
      failing: { 'is out': async () => failing },
      now: () => now,
      longest: 200,
    }),
  )

describe('time stamp suite', () => {
  it('passes the authority that every broken one is made of', async () => {
    assert.deepEqual([...(await failures(sound.stamp))], [])
  })

  const over = 'a stamp is over the digest that was asked for, whole and no longer than is kept'
  let last = new Uint8Array(32)
  let shared = new Uint8Array()
  const broken: Readonly<Record<string, readonly [string, TimeStampAuthority['stamp']]>> = {
    'stamps something else': [over, async () => unsignedTimeStamp(new Uint8Array(32), now)],
    'cuts its answer': [over, async (digest) => (await sound.stamp(digest)).slice(0, -1)],
    'answers the token alone': [over, async (digest) => (await sound.stamp(digest)).slice(9)],
    'answers too much': [
      over,
      async (digest) => unsignedTimeStamp(digest, now, { nonce: [new Uint8Array(200).fill(1)] }),
    ],
    'tells another time': [
      'a stamp tells when it was made',
      async (digest) => unsignedTimeStamp(digest, now - 61_000),
    ],
    'has one request at a time': [
      'digests that are stamped side by side have a stamp each',
      async (digest) => {
        last = Uint8Array.from(digest)
        await Promise.resolve()
        return unsignedTimeStamp(last, now)
      },
    ],
    'takes its answer back': [
      'a digest can be stamped again',
      async (digest) => {
        shared.fill(0)
        shared = Uint8Array.from(await sound.stamp(digest))
        return shared
      },
    ],
    'turns the digest round': [
      'the digest is left as it was given, and is the caller’s afterwards',
      async (digest) => {
        const answer = sound.stamp(Uint8Array.from(digest))
        digest.reverse()
        return answer
      },
    ],
    'takes any length': [
      'what is no SHA-256 is rejected',
      async (digest) => unsignedTimeStamp(digest, now),
    ],
  }
  for (const [name, [killedBy, stamp]] of Object.entries(broken))
    it(`fails an authority that ${name}, by: ${killedBy}`, async () => {
      const found = await failures(stamp)
      assert.match(found.get(`time stamps: ${killedBy}`) ?? 'it passed', /^\w*Error: /)
    })

  it('fails an authority that answers where none granted a stamp', async () => {
    const found = await failures(sound.stamp, sound)
    assert.match(
      found.get('time stamps: an authority that is out is rejected') ?? 'it passed',
      /^\w*Error: /,
    )
  })
})

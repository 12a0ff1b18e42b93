import type { TimeStampAuthority } from '@countersign/core/ports'
import { expect, expectEqual, expectRejection } from '../assert.ts'
import type { RegisterTest } from '../register.ts'

/** Digest (hex) and time (ms) of an authority's answer; null for one that grants no stamp of a SHA-256. */
export type ReadStamp = (
  answer: Uint8Array,
) => { readonly digest: string; readonly stampedAt: number } | null

const hexOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** SHA-256 digests are any 32 bytes, the first and last ones included. */
const digests: readonly Uint8Array[] = [
  new Uint8Array(32),
  new Uint8Array(32).fill(0xff),
  Uint8Array.from({ length: 32 }, (_, at) => at * 7),
]

/**
 * Proves a time-stamping authority: each test gets one from `create`. `failing` are authorities that can't grant a stamp,
 * by why: out of reach, refusing, stamping something else.
 *
 * @example
 * ```ts
 * import test from 'node:test'
 * import { timeStampSuite } from '@countersign/conformance/time-stamps'
 * import { readTimeStamp } from '@countersign/core/evidence'
 * import { myAuthority } from './my-authority.js'
 *
 * timeStampSuite({ test, create: async () => myAuthority(), readStamp: readTimeStamp })
 * ```
 */
export function timeStampSuite(options: {
  readonly test: RegisterTest
  readonly create: () => Promise<TimeStampAuthority>
  readonly readStamp: ReadStamp
  readonly failing?: Readonly<Record<string, () => Promise<TimeStampAuthority>>>
  /** The authority's clock, ms (default `Date.now`). */
  readonly now?: () => number
  /** What the authority's clock may differ, ms (default 60,000). */
  readonly skewMs?: number
  /** Longest answer that the service keeps, bytes (default 65,536). */
  readonly longest?: number
}): void {
  const { test, create, readStamp, failing = {}, now = Date.now } = options
  const { skewMs = 60_000, longest = 65_536 } = options
  const fresh = (name: string, run: (authority: TimeStampAuthority) => Promise<void>): void =>
    void test(`time stamps: ${name}`, {}, async () => run(await create()))
  const digestIn = (answer: Uint8Array) => readStamp(answer)?.digest ?? 'no stamp'

  fresh(
    'a stamp is over the digest that was asked for, whole and no longer than is kept',
    async ({ stamp }) => {
      for (const digest of digests) {
        const answer = await stamp(digest)
        expectEqual(digestIn(answer), hexOf(digest), 'digest')
        expect(answer.length <= longest, `${answer.length} bytes, at most ${longest}`)
      }
    },
  )

  fresh('a stamp tells when it was made', async ({ stamp }) => {
    const before = now()
    const at = readStamp(await stamp(new Uint8Array(32)))?.stampedAt ?? Number.NaN
    const isNow = before - skewMs <= at && at <= now() + skewMs
    expect(isNow, `stamped at ${at}, asked for at ${before}`)
  })

  fresh('digests that are stamped side by side have a stamp each', async ({ stamp }) => {
    const answers = await Promise.all(digests.map((digest) => stamp(digest)))
    expectEqual(answers.map(digestIn), digests.map(hexOf), 'digests')
  })

  fresh('a digest can be stamped again', async ({ stamp }) => {
    const [digest = new Uint8Array(32)] = digests
    const first = await stamp(digest)
    const kept = hexOf(first)
    expectEqual(digestIn(await stamp(digest)), hexOf(digest), 'digest of the second')
    expectEqual(hexOf(first), kept, 'the first afterwards')
  })

  fresh('the digest is left as it was given, and is the caller’s afterwards', async ({ stamp }) => {
    const digest = Uint8Array.from({ length: 32 }, (_, at) => at)
    const [given, asked] = [hexOf(digest), stamp(digest)]
    expectEqual(hexOf(digest), given, 'what was given')
    const answer = await asked
    digest.fill(0)
    expectEqual(digestIn(answer), given, 'digest')
  })

  fresh('what is no SHA-256 is rejected', async ({ stamp }) => {
    for (const length of [0, 20, 31, 33, 64])
      await expectRejection(stamp(new Uint8Array(length)), `a digest of ${length} bytes`)
  })

  for (const [why, open] of Object.entries(failing))
    void test(`time stamps: an authority that ${why} is rejected`, {}, async () => {
      const { stamp } = await open()
      await expectRejection(stamp(new Uint8Array(32).fill(1)), `a stamp of one that ${why}`)
    })
}

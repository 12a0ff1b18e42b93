import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { certificateOf, type Moment, momentsOf } from './genuine-moments.ts'
import { folder } from './packs.ts'
import { isMissing, type Run } from './second-process.ts'
import { saidByBoth } from './second-verifier.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const histories = whole ? 20 : 1
/** Of each; after 12 acts all that can happen has. */
const steps = whole ? 16 : 10
const drawn = Math.abs(Number(seed)) % 100_000
const skip = isMissing()

/**
 * Certificates of sessions at a moment that fail for who holds what was given out at another: those of an id that an earlier
 * session had, for a certificate does not tell when its own began.
 */
const mayFailOf = (now: Moment, then: Moment): ReadonlySet<string> =>
  new Set(
    then.seals
      .filter(([sessionId, sealedAt]) => sealedAt < (now.beginnings.get(sessionId) ?? ''))
      .map(([sessionId]) => certificateOf(sessionId)),
  )

describe('genuine exports of a service', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (let at = 0; at < histories; at++)
    it(`verify at every moment, whatever was held before (history ${drawn + at})`, {
      skip,
    }, async () => {
      const { moments, keys } = await momentsOf(drawn + at, steps)
      const runs: (Run & {
        readonly name: string
        readonly kinds: readonly string[]
        readonly mayFail: ReadonlySet<string>
      })[] = []
      const none = new Set<string>()
      for (const [now, moment] of moments.entries()) {
        const { exports, name } = moment
        const [kinds, files] = [[...exports.keys()], [...exports.values()]]
        runs.push({ name: `${name}, nothing held`, kinds, files, keys, mayFail: none })
        for (const [then, before] of moments.slice(0, now + 1).entries()) {
          const mayFail = mayFailOf(moment, before)
          for (const [held, known] of before.holds) {
            const of = `${name}, ${held} held of ${then}`
            runs.push({ name: of, kinds, files, keys, known, mayFail })
          }
        }
      }
      const faults: string[] = []
      for (const [run, said] of (await saidByBoth(runs)).entries())
        for (const [at, { first, second }] of said.entries()) {
          const { name = '', kinds = [], known, files = [], mayFail = none } = runs[run] ?? {}
          const differs = !isDeepStrictEqual(first, second)
          const isAgain = mayFail.has(kinds[at] ?? '') && first.open === 'failed witness'
          const isWrong = known
            ? first.verdict === 'failed' && !isAgain
            : first.verdict !== 'verified'
          if (differs || isWrong)
            faults.push(
              `${kinds[at]} (${files[at]}) after ${name}: ${JSON.stringify([first, second])}`,
            )
        }
      assert.deepEqual(faults, [])
    })
})

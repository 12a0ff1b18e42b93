import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { momentsOf } from './genuine-moments.ts'
import { folder } from './packs.ts'
import { isMissing, type Run } from './second-process.ts'
import { saidByBoth } from './second-verifier.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const histories = whole ? 20 : 1
/** Of each; after 12 acts all that can happen has. */
const steps = whole ? 16 : 10
const drawn = Math.abs(Number(seed)) % 100_000
const skip = isMissing()

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
      })[] = []
      for (const [now, { exports, name }] of moments.entries()) {
        const [kinds, files] = [[...exports.keys()], [...exports.values()]]
        runs.push({ name: `${name}, nothing held`, kinds, files, keys })
        for (const [then, { holds }] of moments.slice(0, now + 1).entries())
          for (const [held, known] of holds)
            runs.push({ name: `${name}, ${held} held of ${then}`, kinds, files, keys, known })
      }
      const faults: string[] = []
      for (const [run, said] of (await saidByBoth(runs)).entries())
        for (const [at, { first, second }] of said.entries()) {
          const { name = '', kinds = [], known, files = [] } = runs[run] ?? {}
          const differs = !isDeepStrictEqual(first, second)
          // A certificate does not tell when its session began.
          const isAgain = kinds[at]?.startsWith('certificate') && first.verdict === 'failed'
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

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { missing } from './server.ts'

/** Tests of the core whose stores are in memory, as they are run with PostgreSQL beside it. */
const files = [
  'commands/commands',
  'kernel/work/handler',
  'kernel/work/retention',
  'kernel/work/runner',
  'outbox/board',
  'outbox/dispatcher',
  'outbox/fairness',
  'outbox/lease',
  'outbox/log-budget',
  'outbox/outbox-time',
  'outbox/outcomes',
  'outbox/owe',
  'outbox/queues',
  'outbox/test-turns',
]

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** All of them in a proof, and else each second, by the seed. */
const drawn = files.filter((_, at) => whole || (at + Number(seed)) % 2 === 0)

interface Histories {
  readonly histories: fc.Arbitrary<unknown>
  problemsOf(history: unknown): Promise<readonly string[]>
}

const tests = new URL('../../../../core/dist/test/', import.meta.url)

if (missing) it('the tests of the core', { skip: missing }, () => {})
else {
  await import('./beside-memory.ts')
  for (const file of drawn) await import(new URL(`${file}.test.js`, tests).href)

  const folder = new URL('removal/lifecycle/history/', tests)
  const parts = ['draw.js', 'run.js'].map((part) => import(new URL(part, folder).href))
  const { histories, problemsOf }: Histories = Object.assign({}, ...(await Promise.all(parts)))

  describe('deletions beside all else, in any order, whose processes die between any calls', () => {
    it('lose, double and leave nothing', async () => {
      await fc.assert(
        fc.asyncProperty(histories, async (given) => {
          assert.deepEqual(await problemsOf(given), [])
        }),
        { numRuns: whole ? 60 : 3 },
      )
    })
  })
}

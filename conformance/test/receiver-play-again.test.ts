import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConformanceError } from '../assert.ts'
import { judge, playAgain } from '../receiver/judge.ts'
import { property } from '../receiver/property.ts'
import { countsOf, type Report } from '../receiver/report.ts'
import { createTally, type Target } from '../receiver/target.ts'
import { textReport } from '../receiver/text-report.ts'

const tally = createTally()
const target = { tally, settleMs: 1, has: new Set(), alive: async () => true } as unknown as Target
const hour = 3_600_000

/** A property of one case that fails as often as told; its report, and what playing it again says. */
async function played(failures: number, leftMs: number) {
  let left = failures
  const failing = property({
    ...{ name: 'group.one', promise: 'it holds', advice: 'look', each: [1] },
    async play(session) {
      session.tell('something is sent')
      if (left-- > 0) throw new ConformanceError('it does not')
    },
  })
  const replay = {
    ...{ seed: 1, path: undefined, runs: 1, mostCases: undefined, quick: false, shrinkMs: 0 },
    until: performance.now() + hour,
  }
  const report = await judge(failing, { target, unusable: null, replay, except: {} })
  const until = performance.now() + leftMs
  return playAgain(failing, report, { target, replay: { ...replay, until } })
}

test('what failed is played again, and one that there was no time for is inconclusive', async () => {
  for (const [failures, leftMs, cameAgain] of [
    [2, hour, true],
    [1, hour, false],
    [2, -1, 'no time'],
    [1, -1, 'no time'],
  ] as const) {
    const report = await played(failures, leftMs)
    assert.ok(report.verdict === 'failed')
    assert.equal(report.failure.cameAgain, cameAgain, `${failures} failures, ${leftMs} ms left`)
    const text = textReport(
      {
        ...{ url: 'https://receiver.example/', seed: 1, unusable: null, goneIn: null, notes: [] },
        ...{ deliveries: 0, seconds: 0, burst: null, budgetSeconds: null },
        properties: [report],
        ...countsOf([report]),
      } satisfies Report,
      { command: 'run', width: 1_000 },
    )
    assert.equal(text.includes('Inconclusive: '), cameAgain === 'no time', text)
    assert.equal(text.includes('did not come again'), cameAgain === false, text)
    assert.equal(text.includes('Again: run --only group.one'), cameAgain !== false, text)
  }
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startPlainReceiver } from '@countersign/conformance/broken'
import { runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { type Ability, abilities, limited, type Telling } from './receiver-abilities.ts'
import { secret, signing, verifying } from './receiver-targets.ts'

describe('a sound receiver', () => {
  const sets: readonly (readonly [can: readonly Ability[], tells: readonly Telling[]])[] = [
    [[], []],
    [[], ['heads']],
    [[], ['effects']],
    ...abilities.map((one) => [[one], ['effects', 'heads']] as const),
    ...abilities.map(
      (one) => [abilities.filter((other) => other !== one), ['effects', 'heads']] as const,
    ),
  ]

  for (const [can, tells] of sets)
    it(`passes with a probe that tells ${['stored', ...tells].join(', ')} and can ${can.join(', ') || 'nothing'}`, async () => {
      const running = await startPlainReceiver(verifying)
      try {
        const probe = limited(running.probe, can, tells)
        const options = { url: running.url, probe, quick: true, runs: 1, mostCases: 4 }
        const only = ['idempotency', 'ordering', 'acknowledgement', 'timestamp.exact']
        const report = await runReceiverSuite({ ...signing, ...options, only, budgetMs: 100_000 })
        assert.equal(report.failed, 0, textReport(report))
        assert.ok(report.passed > 0)
      } finally {
        await running.close()
      }
    })

  it('passes with one key and no probe', async () => {
    const running = await startPlainReceiver(verifying)
    try {
      const options = { url: running.url, keys: [secret], quick: true, budgetMs: 100_000 }
      const report = await runReceiverSuite({ ...options, only: ['signature', 'challenge'] })
      assert.equal(report.failed, 0, textReport(report))
    } finally {
      await running.close()
    }
  })
})

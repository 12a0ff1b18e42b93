import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startPlainReceiver } from '@countersign/conformance/broken'
import { type Probe, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { failureOf, judge, named } from './judge-plain.ts'
import { signing, verifying } from './receiver-targets.ts'

describe('a run of the receiver suite that takes its time', () => {
  it('comes to the same verdicts and the same counterexamples with the same seed', async () => {
    const { change } = named('keeps the time in 32 bits')
    const only = ['timestamp', 'rotation', 'forward.accepts']
    const run = async () => {
      const report = await judge(change(), { seed: 11, only })
      return report.properties.map((one) => [
        ...[one.name, one.verdict, one.histories],
        one.verdict === 'failed' ? one.failure.path : null,
      ])
    }
    assert.deepEqual(await run(), await run())
  })

  it('tries them whole in a quick run too', async () => {
    const only = ['timestamp.grammar']
    for (const name of ['takes a zero in front', 'takes a plus sign', 'takes underscores'])
      for (const seed of [1, 2, 3, 7]) {
        const report = await judge(named(name).change(), { seed, only, quick: true })
        assert.equal(report.failedHardening, 1, `${name}, seed ${seed}`)
      }
  })

  it('ends in its budget where each answer takes long, and tells what was left out', async () => {
    const { change } = named('works through events one by one, 700 ms each, before it answers')
    const report = await judge(change(), { budgetMs: 6_000, deadlineMs: 2_000, settleMs: 500 })
    assert.ok(report.leftOut > 100, `${report.leftOut}`)
    assert.ok(report.seconds < 40, `${report.seconds} s`)
    failureOf(report, 'acknowledgement.burst')
    const text = textReport(report)
    assert.match(text, /needs more time \(--budget SECONDS\)/)
  })

  it('finishes a wait after a kill that outlives the budget', async () => {
    const options = { budgetMs: 1_500, resumeMs: 2_000, shrinkMs: 1 }
    const report = await judge(
      { resume: () => [] },
      { ...options, only: ['acknowledgement.resumes'] },
    )
    assert.match(failureOf(report, 'acknowledgement.resumes').found, /12 events, 12 had none/)
  })

  it('goes on where properties were cut short, and plays no history twice', async () => {
    const plan = async (change: object, budgetMs: number) => {
      const played = new Map<string, string[]>()
      const report = await judge(change, {
        ...{ seed: 5, budgetMs, only: ['timestamp.grammar', 'timestamp.window', 'hygiene.method'] },
        onHistory: (name, history) =>
          void played.set(name, [...(played.get(name) ?? []), JSON.stringify(history)]),
      })
      return { report, played }
    }
    const quick = await plan({}, 60_000)
    const slowly = {
      before: async ({ method }: { method: string }) => {
        await new Promise((resolve) => setTimeout(resolve, 60))
        return method === 'POST' ? null : { status: 405 }
      },
    }
    const slow = await plan(slowly, 4_000)
    for (const one of slow.report.properties) {
      const own = slow.played.get(one.name) ?? []
      assert.equal(own.length, one.histories)
      assert.deepEqual(own, quick.played.get(one.name)?.slice(0, own.length), one.name)
    }
  })

  it('waits for a receiver that is seen to work through its queue', async () => {
    // The effects of what comes show one after the other, 60 ms apart.
    const shownAt = new Map<string, number>()
    let free = 0
    const running = await startPlainReceiver(verifying, {
      idOf({ id }) {
        free = Math.max(free, performance.now()) + 60
        if (!shownAt.has(id)) shownAt.set(id, free)
        return id
      },
    })
    try {
      const probe: Probe = {
        async read(asked) {
          const seen = await running.probe.read(asked)
          const isShown = ({ id }: { id: string }) => (shownAt.get(id) ?? 0) <= performance.now()
          return { ...seen, effects: (seen.effects ?? []).filter(isShown) }
        },
      }
      const report = await runReceiverSuite({
        ...{ ...signing, url: running.url, probe, settleMs: 400, lanes: 4, quick: true },
        ...{ budgetMs: 30_000, only: ['idempotency.signed-anew', 'idempotency.alike-ids'] },
      })
      assert.equal(report.failed, 0, textReport(report))
    } finally {
      await running.close()
    }
  })
})

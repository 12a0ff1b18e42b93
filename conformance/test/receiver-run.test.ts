import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type BrokenReceiver,
  brokenReceivers,
  startPlainReceiver,
} from '@countersign/conformance/broken'
import {
  type Probe,
  type Report,
  runReceiverSuite,
  textReport,
} from '@countersign/conformance/receiver'
import { signing, verifying } from './receiver-targets.ts'

const named = (name: string): BrokenReceiver =>
  brokenReceivers.find((one) => one.name === name) ?? assert.fail(`no receiver ${name}`)

type Options = Partial<Parameters<typeof runReceiverSuite>[0]>
async function judge(change: object, options: Options = {}): Promise<Report> {
  const running = await startPlainReceiver(verifying, change)
  try {
    const { url, probe } = running
    return await runReceiverSuite({ ...signing, url, probe, settleMs: 1_000, ...options })
  } finally {
    await running.close()
  }
}

const failureOf = (report: Report, name: string) => {
  const found = report.properties.find((one) => one.name === name)
  assert.ok(found?.verdict === 'failed', textReport(report))
  return found.failure
}

describe('a run of the receiver suite', () => {
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

  it('tries finite lists whole whatever the seed', async () => {
    for (const name of ['takes a zero in front', 'takes a plus sign', 'takes underscores'])
      for (const seed of [1, 2, 3]) {
        const report = await judge(named(name).change(), { seed, only: ['timestamp.grammar'] })
        assert.equal(report.failedHardening, 1, `${name}, seed ${seed}`)
      }
  })

  it('tries them whole in a quick run too', async () => {
    const only = ['timestamp.grammar']
    for (const name of ['takes a zero in front', 'takes a plus sign', 'takes underscores'])
      for (const seed of [1, 2, 3, 7]) {
        const report = await judge(named(name).change(), { seed, only, quick: true })
        assert.equal(report.failedHardening, 1, `${name}, seed ${seed}`)
      }
  })

  it('takes some of a list of pairs from both halves of it', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const halves = new Set<unknown>()
      const report = await judge(
        {},
        {
          ...{ seed, mostCases: 8, only: ['timestamp.grammar'] },
          onHistory: (_, history) =>
            void halves.add((history as { respelled?: boolean }).respelled),
        },
      )
      assert.ok(report.histories > 0 && report.histories <= 8, `${report.histories}`)
      assert.deepEqual(halves, new Set([true, false]), `seed ${seed}`)
    }
  })

  it('passes no property that was cut short before all of its list was tried', async () => {
    const slowly = {
      before: async () => {
        await new Promise((resolve) => setTimeout(resolve, 40))
        return null
      },
    }
    const report = await judge(slowly, { budgetMs: 700, only: ['timestamp.grammar'] })
    const [grammar] = report.properties
    assert.ok(grammar && grammar.histories > 0 && grammar.leftOut > 0, textReport(report))
    assert.equal(grammar.verdict, 'not judged')
    assert.match(textReport(report), /timestamp\.grammar +needs more time \(--budget SECONDS\)/)
    assert.match(textReport(report), /timestamp\.grammar +\d+ of 44 histories/)
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

  it('waits for a receiver, and takes no event from before it was up for one that it has', async () => {
    const upAt = performance.now() + 100
    const report = await judge(
      {
        before: ({ method }: { method: string }) =>
          performance.now() < upAt ? { status: 503 } : method === 'POST' ? null : { status: 405 },
      },
      { waitMs: 5_000, only: ['idempotency.later'] },
    )
    assert.equal(report.passed, 1, textReport(report))
  })

  it('notes what malformed events left at the probe, and goes on', async () => {
    const running = await startPlainReceiver(verifying, { unreadable: () => ({ status: 204 }) })
    try {
      let shows = false
      const probe: Probe = {
        async read(asked) {
          const seen = await running.probe.read(asked)
          return shows ? { ...seen, stored: [...seen.stored, { id: 7 } as never] } : seen
        },
      }
      const only = ['reading.malformed-signed', 'idempotency.alike-ids']
      const report = await runReceiverSuite({
        ...{ ...signing, url: running.url, probe, only, quick: true, lanes: 1 },
        onProgress: () => {
          shows = true
        },
      })
      assert.equal(report.passed, 2, textReport(report))
      assert.match(report.notes.join(), /an entry without a usable id, such as \{"id":7\}/)
      assert.match(textReport(report), /NOTE\n {2}The probe shows an entry/)
    } finally {
      await running.close()
    }
  })

  it('notes that no event had an effect, as where handlers were never started', async () => {
    const options = { only: ['idempotency.other-body'], quick: true, settleMs: 200, shrinkMs: 1 }
    const asleep = await judge({ newer: () => false }, options)
    assert.equal(asleep.failed, 1)
    assert.match(asleep.notes.join(), /never showed an effect: are the handlers running/)
    assert.deepEqual((await judge({}, options)).notes, [])
  })

  it('shows headers and body of what failed, in text and in the report', async () => {
    const { change } = named('compares the lengths')
    const report = await judge(change(), { only: ['signature.altered'] })
    const { exchanges } = failureOf(report, 'signature.altered')
    const last = exchanges.at(-1)
    assert.equal(last?.method, 'POST')
    assert.ok(last?.headers.some(([name]) => name === 'webhook-signature'))
    assert.match(last?.body ?? '', /"type":"review/)
    assert.equal(last?.status, 204)
    const text = textReport(report)
    assert.match(
      text,
      /As sent .*\n {4}POST\n {6}content-type: application\/json\n {6}webhook-id: /,
    )
    assert.match(text, /Shown how: .*"How a receiver keeps these promises", signature/)
  })

  it('says of a failure that it did not come again alone', async () => {
    // Fails once, as state that other requests left behind does.
    let failures = 0
    const report = await judge(
      {
        admit: ({ type }: { type: string }) =>
          type === 'review.case.paused' && failures++ === 0 ? { status: 500 } : null,
      },
      { only: ['forward.accepts'], shrinkMs: 1, seed: 4 },
    )
    assert.equal(failureOf(report, 'forward.accepts').cameAgain, false)
    assert.match(
      textReport(report, { command: 'run' }),
      /did not come again when it was played alone.*\n?.*run\s+--seed 4/s,
    )
    const steady = await judge(
      { admit: ({ type }: { type: string }) => (type === 'ping' ? { status: 500 } : null) },
      { only: ['forward.accepts'] },
    )
    assert.equal(failureOf(steady, 'forward.accepts').cameAgain, true)
  })

  it('sends ids like production’s, which begin with the time', async () => {
    const ids: string[] = []
    await judge(
      {
        idOf({ id }: { id: string }) {
          ids.push(id)
          return id
        },
      },
      { only: ['rotation'] },
    )
    assert.ok(ids.every((id) => /^evt_[0-9a-z]{26}$/.test(id)))
    assert.equal(new Set(ids.map((id) => id.slice(0, 8))).size, 1)
    assert.equal(new Set(ids).size, ids.length)
  })
})

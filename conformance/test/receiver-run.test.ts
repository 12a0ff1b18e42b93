import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startPlainReceiver } from '@countersign/conformance/broken'
import {
  junitReport,
  type Probe,
  properties,
  runReceiverSuite,
  textReport,
} from '@countersign/conformance/receiver'
import { type Steps, soundSteps } from '../broken/steps.ts'
import { exitCode } from '../cli/exit-code.ts'
import { failureOf, judge, named } from './judge-plain.ts'
import { signing, verifying } from './receiver-targets.ts'

/** Answers after 40 ms from the first history on, which the machine may take most of the time to come to. */
function slowFromItsFirstHistory() {
  let isSlow = false
  return {
    begin: () => {
      isSlow = true
    },
    change: {
      before: async ({ method }: { method: string }) => {
        if (isSlow) await new Promise((resolve) => setTimeout(resolve, 40))
        return method === 'POST' ? null : { status: 405 }
      },
    },
  }
}

describe('a run of the receiver suite', () => {
  it('tries finite lists whole whatever the seed', async () => {
    for (const name of ['takes a zero in front', 'takes a plus sign', 'takes underscores'])
      for (const seed of [1, 2]) {
        const report = await judge(named(name).change(), { seed, only: ['timestamp.grammar'] })
        assert.equal(report.failedHardening, 1, `${name}, seed ${seed}`)
      }
  })

  it('takes some of a list of pairs from both halves of it', async () => {
    for (const seed of [1, 2, 3]) {
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
    const { change, begin } = slowFromItsFirstHistory()
    const options = { budgetMs: 700, only: ['timestamp.grammar'] }
    const report = await judge(change, { ...options, onHistory: begin })
    const [grammar] = report.properties
    assert.ok(grammar && grammar.histories > 0 && grammar.leftOut > 0, textReport(report))
    assert.equal(grammar.verdict, 'not judged')
    assert.match(textReport(report), /needs more time \(--budget SECONDS\):\n +timestamp\.grammar/)
    assert.match(textReport(report), /timestamp\.grammar +\d+ of 44 histories/)
  })

  it('is no pass where a required property had no time, and tells the budget that it needs', async () => {
    const only = ['signature.malformed']
    const { change, begin } = slowFromItsFirstHistory()
    const report = await judge(change, { budgetMs: 700, only, onHistory: begin })
    assert.equal(report.outOfTime, 1, textReport(report))
    const { given = 0, needed = 0 } = report.budgetSeconds ?? {}
    assert.ok(given === 0.7 && needed >= 10 && needed % 10 === 0, `${given} and ${needed}`)
    const last = textReport(report).trimEnd().split('\n').at(-1)
    assert.equal(
      last,
      `1 required property was not judged for want of time, which is no pass: this machine needs --budget ${needed} for it (it had 0.7)`,
    )
    assert.match(junitReport(report), /<failure message="not judged: needs more time/)
    assert.equal(exitCode(report), 3)
    assert.equal(exitCode({ ...report, failed: 1, failedHardening: 1 }), 3)
    assert.equal(exitCode({ ...report, failed: 1, failedHardening: 1 }, { strict: true }), 1)
    assert.equal(exitCode({ ...report, failed: 1, failedRequired: 1 }), 1)
  })

  it('goes on past its budget with required properties that had no time, where it may', async () => {
    const options = { budgetMs: 700, only: ['timestamp.grammar', 'signature.missing'] }
    const { change, begin } = slowFromItsFirstHistory()
    const report = await judge(change, { ...options, mostBudgetMs: 60_000, onHistory: begin })
    const verdicts = Object.fromEntries(report.properties.map((one) => [one.name, one.verdict]))
    assert.deepEqual(verdicts, {
      'signature.missing': 'passed',
      'timestamp.grammar': 'not judged',
    })
    assert.equal(report.budgetSeconds, null)
    assert.equal(exitCode(report), 0)
  })

  it('has events of every family for each property that is about all of them', async () => {
    const about = properties.filter(({ everyFamily, slow }) => everyFamily && !slow)
    for (const group of ['signature', 'timestamp', 'idempotency', 'acknowledgement'])
      assert.ok(
        about.some(({ name }) => name.startsWith(`${group}.`)),
        group,
      )
    const only = about.map(({ name }) => name)
    const report = await judge({}, { only, mostCases: 8, runs: 8, budgetMs: 150_000 })
    assert.equal(report.passed, about.length, textReport(report))
    for (const { name, families } of report.properties)
      for (const [family, count] of Object.entries(families))
        assert.ok(count > 0, `${name} had no event of ${family}`)
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

  it('sends the first events of every family to a receiver that takes long for each answer too', async () => {
    const slowly = {
      before: async ({ method }: { method: string }) => {
        await new Promise((resolve) => setTimeout(resolve, 250))
        return method === 'POST' ? null : { status: 405 }
      },
    }
    const report = await judge(slowly, { only: ['idempotency.later'] })
    assert.equal(report.passed, 1, textReport(report))
    const [{ families } = assert.fail()] = report.properties
    assert.deepEqual(families, { review: 2, subscription: 1, verification: 1, 'to come': 1 })
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

  it('finds an effect without an id that a malformed event left', async () => {
    // One that takes the body for an event before it looks for what makes one.
    const running = await startPlainReceiver(verifying, { unreadable: () => ({ status: 204 }) })
    let acted = false
    const probe: Probe = {
      async read(asked) {
        const seen = await running.probe.read(asked)
        const effect = { id: null, count: 1 } as never
        return acted ? { ...seen, effects: [...(seen.effects ?? []), effect] } : seen
      },
    }
    try {
      const report = await runReceiverSuite({
        ...{ ...signing, url: running.url, probe, quick: true, lanes: 1 },
        only: ['reading.verify-first', 'reading.malformed-signed'],
        onProgress: () => {
          acted = true
        },
      })
      const { found } = failureOf(report, 'reading.malformed-signed')
      assert.match(found, /an effect without a usable id, such as \{"id":null,"count":1\}/)
    } finally {
      await running.close()
    }
  })

  it('notes that no event had an effect, as where handlers were never started', async () => {
    const options = { only: ['idempotency.other-body'], quick: true, settleMs: 200, shrinkMs: 1 }
    // Told to be a copy, an event is stored and never handled.
    const store: Steps['store'] = async (id, body, around) => {
      await soundSteps.store(id, body, around)
      return false
    }
    const asleep = await judge({ store }, options)
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
    assert.match(last?.body ?? '', /"type":"\w+/)
    assert.match(`${last?.status}`, /^20[04]$/)
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

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startPlainReceiver } from '@countersign/conformance/broken'
import { runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { exitCode } from '../cli/exit-code.ts'
import type { Client, Exchange } from '../receiver/client.ts'
import { judge } from '../receiver/judge.ts'
import { loadKeys } from '../receiver/keys.ts'
import { isHeldUp, startLagMeter } from '../receiver/lag.ts'
import { property } from '../receiver/property.ts'
import { eachOnce } from '../receiver/session.ts'
import { createTally, type Target } from '../receiver/target.ts'
import { signing, verifying } from './receiver-targets.ts'

const hour = 3_600_000
const deadlineMs = 5_000

const targetOf = (change: Partial<Target>): Target => ({
  ...{ keys: loadKeys(signing), messageOf: (event) => event, types: [], probe: null },
  ...{ has: new Set(), deadlineMs, settleMs: 20, resumeMs: 20, lag: { lagMs: () => 0 } },
  client: undefined as unknown as Client,
  read: async () => ({ stored: [], effects: [] }),
  until: performance.now() + hour,
  tally: createTally(),
  alive: async () => true,
  ...change,
})

/** What is judged of a receiver at this target by one history of one required property. */
function judged(change: Partial<Target>, play: Parameters<typeof property<number>>[0]['play']) {
  const one = property({
    ...{ name: 'group.one', promise: 'it holds', advice: 'look', each: [1] },
    play,
  })
  const target = targetOf(change)
  const replay = { seed: 1, path: undefined, runs: 1, shrinkMs: 0, until: target.until }
  return judge(one, { target, unusable: null, replay, except: {} })
}

const answering = (change: Partial<Exchange>): Partial<Target> => {
  const exchange: Exchange = {
    ...{ status: 204, error: null, ms: 1, wholeMs: 1, lagMs: 0, body: '', contentType: '' },
    ...change,
  }
  return { client: { send: async () => exchange } as unknown as Client }
}

describe('the lag of a machine', () => {
  it('is how late timers are, the one that is due included', () => {
    let now = 0
    let tick = () => {}
    const meter = startLagMeter({
      now: () => now,
      repeat: (call) => {
        tick = call
        return () => {}
      },
    })
    const passes = (ms: number) => {
      now += ms
      return meter.lagMs()
    }
    assert.equal(passes(50), 0)
    assert.equal(passes(10), 0, 'what is usual')
    assert.equal(passes(40), 40)
    assert.equal(passes(2_000), 2_040, 'before the timer is served')
    tick()
    assert.equal(passes(0), 2_040)
    assert.equal(passes(60), 2_040)
    tick()
    assert.equal(passes(60 + 500), 2_540)
    meter.stop()
  })

  it('explains no answer that was late by more, and no wrong one that was read in time', () => {
    for (const [wholeMs, lagMs, expected] of [
      [5_699, 698, false],
      [5_699, 699, true],
      [4_999, 3_999, false],
      [4_999, 4_001, true],
      [60_000, 1_000, false],
    ] as const)
      assert.equal(isHeldUp({ wholeMs, lagMs }, deadlineMs), expected, `${wholeMs}, ${lagMs}`)
  })

  for (const [what, exchange] of [
    ['late', { ms: 5_699, wholeMs: 5_699 }],
    ['missing', { status: null, error: 'no answer in time', ms: 6_000, wholeMs: 6_000 }],
  ] as const)
    it(`is no fault of a receiver whose answer is ${what}, and no pass of it`, async () => {
      for (const [lagMs, verdict] of [
        [5_200, 'not judged'],
        [0, 'failed'],
      ] as const) {
        const report = await judged(answering({ ...exchange, lagMs }), async (session) => {
          await session.accept(session.sign(session.event()))
        })
        assert.equal(report.verdict, verdict)
        if (report.verdict === 'not judged') assert.equal(report.wantOf, 'time')
      }
    })

  it('is no time that a receiver had for its effects', async () => {
    const effectMs = 500
    for (const [share, verdict] of [
      [0.99, 'passed'],
      [0, 'failed'],
    ] as const) {
      const startedAt = performance.now()
      const passed = () => performance.now() - startedAt
      const report = await judged(
        {
          lag: { lagMs: () => share * passed() },
          read: async ({ ids: [id = ''] }) => ({
            stored: [],
            effects: passed() < effectMs ? [] : [{ id, count: 1 }],
          }),
        },
        async (session) => {
          const { id } = session.event()
          await session.settle({ ids: [id] }, eachOnce([id]))
        },
      )
      assert.equal(report.verdict, verdict)
    }
  })

  it('leaves a sound receiver unjudged, with status 3, until there is time for it', async () => {
    const stoppedMs = 900
    let deliveries = 0
    /** Whether this delivery finds the machine busy. */
    let isBusy = (_: number) => false
    const running = await startPlainReceiver(verifying, {
      before({ method }) {
        if (isBusy(++deliveries))
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stoppedMs)
        return method === 'POST' ? null : { status: 405 }
      },
    })
    const run = async (busy: (delivery: number) => boolean) => {
      deliveries = 0
      isBusy = busy
      const { url, probe } = running
      const options = { ...signing, url, probe, deadlineMs: 700, only: ['forward.accepts'] }
      const report = await runReceiverSuite({ ...options, seed: 1, budgetMs: 20_000 })
      const [one] = report.properties
      return { report, one, text: textReport(report) }
    }
    try {
      const quiet = await run(() => false)
      assert.equal(quiet.one?.verdict, 'passed', quiet.text)
      // In the midst of its list.
      const busyFrom = deliveries - quiet.one.histories + 10
      const once = await run((delivery) => delivery === busyFrom)
      assert.equal(once.one?.verdict, 'passed', once.text)
      assert.equal(once.one.histories, quiet.one.histories)
      const busy = await run((delivery) => delivery >= busyFrom)
      assert.deepEqual([busy.report.failed, exitCode(busy.report)], [0, 3], busy.text)
    } finally {
      await running.close()
    }
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Evidence, type KeptEvent, type SentEvent, tally } from '../demo/tally.ts'
import { faultsOf, tallyTraced } from '../demo/traced.ts'

function body(reviewCaseId: string, caseVersion: number, eventSequence: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ reviewCaseId, caseVersion, eventSequence }))
}

const histories = fc.array(
  fc.record({ of: fc.constantFrom('rc_1', 'rc_2'), version: fc.integer({ min: 1, max: 9 }) }),
  { minLength: 1, maxLength: 12 },
)

function evidence(steps: readonly { of: string; version: number }[]): Evidence & {
  readonly sent: readonly SentEvent[]
  readonly kept: readonly KeptEvent[]
} {
  const events = steps.map(({ of, version }, i) => ({
    id: `evt_${i}`,
    body: body(of, version, i + 1),
  }))
  return {
    cases: [{ reviewCaseId: 'rc_1', outcome: 'approved' }],
    sent: events.map((event) => ({ ...event, status: 'delivered' })),
    kept: events.map((event) => ({ ...event, copies: 1 })),
    outcomesKept: [],
  }
}

test('a receiver that kept everything, in whatever order, lost nothing and is not stale', () => {
  fc.assert(
    fc.property(histories, fc.nat(), (steps, turn) => {
      const all = evidence(steps)
      const kept = [
        ...all.kept.slice(turn % steps.length),
        ...all.kept.slice(0, turn % steps.length),
      ]
      const result = tally({ ...all, kept })
      assert.equal(result.lost, 0)
      assert.equal(result.stale, 0)
    }),
  )
})

test('each event that it lacks is lost, and lacking a head is being stale', () => {
  fc.assert(
    fc.property(histories, fc.nat(), (steps, pick) => {
      const all = evidence(steps)
      const missing = pick % steps.length
      const result = tally({ ...all, kept: all.kept.filter((_, i) => i !== missing) })
      assert.equal(result.lost, 1)
      const lacked = steps[missing]
      const newer = steps.some(
        ({ of, version }, i) =>
          i !== missing &&
          of === lacked?.of &&
          (version > lacked.version || (version === lacked.version && i > missing)),
      )
      assert.equal(result.stale, newer ? 0 : 1)
    }),
  )
})

test('copies beyond the first are duplicates', () => {
  const all = evidence([{ of: 'rc_1', version: 1 }])
  const kept = all.kept.map((event) => ({ ...event, copies: 3 }))
  assert.equal(tally({ ...all, kept }).duplicatesDropped, 2)
})

const pack = {
  file: 'pack.zip',
  keysFile: 'keys.json',
  bytes: 9,
  sessions: 1,
  checks: 7,
  decisions: { signed: 1, recorded: 1 },
  verdict: 'verified',
  tamperedVerdict: 'failed',
}

test('each span without a step is lost, and a step that is there twice is doubled', () => {
  const spans = fc.uniqueArray(
    fc.nat().map((n) => `trace-${n}`),
    { minLength: 1, maxLength: 9 },
  )
  fc.assert(
    fc.property(spans, fc.nat(), (ids, pick) => {
      const one = ids[pick % ids.length] ?? ''
      const told = (steps: readonly string[]) => {
        const { spansLost, stepsDoubled } = tallyTraced({ sessions: 1, sealed: 1, steps }, ids)
        return [spansLost, stepsDoubled]
      }
      assert.deepEqual(told(ids), [0, 0])
      assert.deepEqual(told(ids.filter((id) => id !== one)), [1, 0])
      assert.deepEqual(told([...ids, one]), [0, 1])
    }),
  )
})

test('a play that went wrong says in what', () => {
  const all = evidence([{ of: 'rc_1', version: 1 }])
  const traced = tallyTraced({ sessions: 1, sealed: 1, steps: ['a'] }, ['a'])
  const well = { ...tally(all), ...traced }
  assert.deepEqual(faultsOf(well, pack), [])
  for (const [counts, packed] of [
    [{ ...well, lost: 1 }, pack],
    [{ ...well, stale: 1 }, pack],
    [{ ...well, spansLost: 1 }, pack],
    [{ ...well, stepsDoubled: 1 }, pack],
    [{ ...well, sealed: 0 }, pack],
    [well, { ...pack, sessions: 0 }],
    [well, { ...pack, verdict: 'undecided' }],
    [well, { ...pack, decisions: { signed: 0, recorded: 2 } }],
    [well, { ...pack, tamperedVerdict: 'verified' }],
  ] as const)
    assert.equal(faultsOf(counts, packed).length, 1)
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reviewCases } from '@countersign/core/internal'
import type { Ledger, Plan } from '@countersign/core/ledger'
import type { Put } from '@countersign/core/ports'
import { answered, plainSealer, type StoreOperation } from '@countersign/core/testing'
import fc from 'fast-check'
import { attempts, type Message, messages } from '../../outbox/records.ts'
import { caseIdOfOutcome } from '../../review/callback/outcome-message.ts'
import { openOutcome, sealOutcome } from '../../review/sealing.ts'
import { admin, ann, app, type Bench, createBench, hour, losing, opening } from './bench.ts'

/** One step of a service's life; `restore` begins anew from the fixture and the first `kept` operations after it. */
type Step =
  | { readonly do: 'open'; readonly checkpoint: number }
  | { readonly do: 'claim'; readonly at: number }
  | { readonly do: 'cancel'; readonly at: number }
  | { readonly do: 'replay'; readonly at: number }
  | {
      readonly do: 'decide'
      readonly at: number
      readonly decision: 'approved' | 'rejected' | 'response_submitted'
      readonly response: number
    }
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'send'; readonly status: number }
  | { readonly do: 'restore'; readonly kept: number }

const at = fc.nat(2)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('open' as const), checkpoint: fc.nat(1) }),
  ...(['claim', 'cancel', 'replay'] as const).map((name) =>
    fc.record({ do: fc.constant(name), at }),
  ),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      at,
      decision: fc.constantFrom('approved', 'rejected', 'response_submitted'),
      response: fc.nat(1),
    }),
  },
  fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(0, 1, 30) }),
  fc.record({ do: fc.constant('send' as const), status: fc.constantFrom(204, 410, 500) }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('restore' as const), kept: fc.nat(12) }),
  },
)

type Act = Exclude<Step, { do: 'restore' }>

const approved: readonly Act[] = [
  { do: 'open', checkpoint: 0 },
  { do: 'claim', at: 0 },
  { do: 'decide', at: 0, decision: 'approved', response: 0 },
]

/** Approve, restore what was before, reject: the least history in which a restored service could repeat an id. */
const approveThenReject: readonly Step[] = [
  ...approved,
  { do: 'send', status: 204 },
  { do: 'restore', kept: 2 },
  { do: 'decide', at: 0, decision: 'rejected', response: 0 },
  { do: 'send', status: 500 },
  { do: 'wait', hours: 30 },
  { do: 'send', status: 410 },
  { do: 'replay', at: 0 },
  { do: 'send', status: 204 },
]

/** Every id that ever went out, in all lives of the service, with what it named. */
async function idsHold(
  numRuns: number,
  wrap: (ledger: Ledger) => Ledger,
): Promise<{ readonly restores: number; readonly outcomes: number }> {
  let restores = 0
  let outcomes = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
      let bench = await createBench({ callback: true, wrap })
      let past: readonly StoreOperation[] = []
      const named = new Map<string, string>()
      for (const one of steps) {
        if (one.do === 'restore') {
          restores += 1
          const all = [...past, ...bench.written]
          // The fixture, which a backup always has, is the first.
          const operations = all.slice(0, 1 + one.kept)
          const { clock, random } = bench
          await bench.dispatcher.drain(0)
          bench = await createBench({
            callback: true,
            wrap,
            restore: { operations, clock, random },
          })
          past = []
        } else await act(bench, one)
        for (const [id, what] of ids(bench)) {
          assert.equal(named.get(id) ?? what, what, `${id} names two things`)
          named.set(id, what)
        }
      }
      await bench.dispatcher.drain(0)
      outcomes += bench.outcomes().length
    }),
    { numRuns, examples: [[[...approveThenReject]]] },
  )
  return { restores, outcomes }
}

function* ids(bench: Bench): Iterable<[string, string]> {
  for (const { row } of bench.store.rows(messages))
    yield [
      row.messageId,
      Buffer.from(row.type === 'review.outcome' ? openOutcome(sealer, row) : row.body).toString(),
    ]
  for (const { row } of bench.store.rows(attempts))
    yield [row.attemptId, `${row.messageId} at ${row.startedAt}, ${row.responseStatus}`]
}

async function act(bench: Bench, one: Act): Promise<void> {
  const { cases, clock, dispatcher, transport } = bench
  if (one.do === 'open') {
    const checkpointId = `checkpoint-${one.checkpoint}`
    const resumeToken = 'opaque'
    await cases.open(app, opening({ sessionId: 'ses_restored', checkpointId, resumeToken }))
    return
  }
  if (one.do === 'wait') {
    await clock.advance(one.hours * hour)
    return
  }
  if (one.do === 'send') {
    transport.follow(() => answered(one.status))
    dispatcher.start()
    await clock.advance(10_000)
    return
  }
  const all = bench.store.rows(reviewCases).map(({ row }) => row.reviewCaseId)
  const id = all[one.at % Math.max(1, all.length)]
  if (id === undefined) return
  const { caseVersion, presentationDigest } = bench.stored(id)
  const seen = { caseVersion }
  // What is refused changes nothing, and may be refused.
  if (one.do === 'claim') await cases.claim(ann, { reviewCaseId: id })
  else if (one.do === 'cancel')
    await cases.cancel(admin, { reviewCaseId: id, ...seen, reasonCategory: 'end_user_cancelled' })
  else if (one.do === 'replay') await cases.replayCallback(admin, { reviewCaseId: id })
  else
    await cases.decide(ann, {
      reviewCaseId: id,
      ...seen,
      presentationDigest: presentationDigest ?? '',
      decision: one.decision,
      response: { answer: one.response },
    })
}

const fromUtf8 = new TextDecoder()
const sealer = plainSealer()

/** The id of an outcome comes from its case alone. */
function byCase(plan: Plan<unknown>): Plan<unknown> {
  if (plan.kind !== 'commit') return plan
  const renamed = new Map<string, string>()
  const puts = (plan.set.puts ?? []).map((one) => {
    const row = one.row as { readonly messageId?: string; readonly body?: Uint8Array }
    if (one.in !== messages.name || !row.messageId?.startsWith('cb_') || !row.body) return one
    const outcome = row as Message
    const id = `cb_${caseIdOfOutcome(outcome, sealer).slice('rc_'.length)}`
    renamed.set(row.messageId, id)
    const body = new TextEncoder().encode(
      fromUtf8.decode(openOutcome(sealer, outcome)).replace(row.messageId, id),
    )
    const renamedOutcome = { ...outcome, messageId: id, body }
    return { ...one, row: { ...renamedOutcome, body: sealOutcome(sealer, renamedOutcome) } } as Put
  })
  const owed = puts.map((one) => {
    const { messageId } = one.row as { readonly messageId?: string }
    const id = messageId && renamed.get(messageId)
    return id ? ({ ...one, row: { ...one.row, messageId: id } } as Put) : one
  })
  return { ...plan, set: { ...plan.set, puts: owed } }
}

describe('a service that is restored from an older backup', () => {
  it('sends no id with two bodies', async () => {
    const { restores, outcomes } = await idsHold(40, (ledger) => ledger)
    // The fixed history has both under every seed.
    assert.ok(restores > 0 && outcomes > 0)
  })

  it('would be noticed by an id that comes from the case alone', () =>
    assert.rejects(
      idsHold(2, (ledger) => losing(ledger, byCase)),
      ({ cause }: Error) => /names two things/.test(String(cause)),
    ))
})

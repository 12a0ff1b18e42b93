import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Ledger, Plan } from '@countersign/core/ledger'
import type { Put } from '@countersign/core/ports'
import fc, { type AsyncCommand } from 'fast-check'
import { type Delivery, deliveries, messages } from '../../outbox/records.ts'
import { type ReviewCase, reviewCases } from '../../review/records.ts'
import { type Bench, createBench, hour, losing, start } from './bench.ts'
import { Cancel } from './model/cancel.ts'
import { Claim } from './model/claim.ts'
import { commands } from './model/commands.ts'
import { Decide } from './model/decide.ts'
import { Open } from './model/open.ts'
import { OpenByPolicy } from './model/open-by-policy.ts'
import { PassTime } from './model/pass-time.ts'
import { ReplayCallback } from './model/replay-callback.ts'
import { ReportContinuation } from './model/report-continuation.ts'
import { RequestFollowUp } from './model/request-follow-up.ts'
import { RunDeadlines } from './model/run-deadlines.ts'
import { SetCallback } from './model/set-callback.ts'
import type { Model } from './model/world.ts'

/** Reaches every fact of a case. Random runs need not, so this history goes before them. */
const everyFact: readonly AsyncCommand<Model, Bench>[] = [
  new Open(0, null),
  new Claim(0, false, 'ann'),
  new PassTime(hour),
  new RunDeadlines(),
  new Decide(0, false, 'ann', 'approved', true),
  new ReportContinuation(0, 'resumed'),
  new Open(1, null),
  new Cancel(1, false, 'application'),
  new Open(2, null),
  new PassTime(3 * hour),
  new Claim(2, false, 'ann'),
  new Open(0, null),
  new Claim(3, false, 'bob'),
  new RequestFollowUp(3, false, 'bob'),
  new OpenByPolicy(1),
  new Claim(4, false, 'bob'),
  new Open(1, 'bob', 'this'),
  new Open(1, 'ann', 'this'),
  new Open(1, null, 'that'),
  new SetCallback(false),
  new Cancel(4, false, 'application'),
  new SetCallback(true),
  new ReplayCallback(4),
  new ReplayCallback(4),
]

/** Runs commands against the room and the model; returns the states reached. */
async function roomHolds(
  numRuns: number,
  wrap: (ledger: Ledger) => Ledger,
): Promise<ReadonlySet<string>> {
  const reached = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (list) => {
      const bench = await createBench({ callback: true, wrap })
      const model: Model = { now: start, callback: true, cases: [] }
      await fc.asyncModelRun(() => ({ model, real: bench }), list)
      for (const { state, pending, overdue, continuation, policy } of model.cases) {
        const adopted = policy?.asked && 'adopted'
        const facts = [state, pending && 'pending', overdue && 'overdue', continuation, adopted]
        for (const fact of facts) if (fact) reached.add(fact)
      }
    }),
    { numRuns, examples: [[everyFact]] },
  )
  return reached
}

const adopts = ({ in: name, row }: Put) =>
  name === reviewCases.name && (row as ReviewCase).history.at(-1)?.step === 'adopted'
const owes = ({ in: name }: Put) => name === deliveries.name || name === messages.name
const replays = ({ in: name, row }: Put) =>
  name === deliveries.name && (row as Delivery).trigger === 'replay'

/** Rooms whose commits lack something. */
const mutants: Readonly<Record<string, (plan: Plan<unknown>) => Plan<unknown>>> = {
  'an expiry that is refused and not recorded': (plan) =>
    plan.kind === 'refuse' ? { kind: 'refuse', refusal: plan.refusal } : plan,
  'a step without its event': (plan) =>
    plan.kind === 'commit'
      ? { ...plan, set: { ...plan.set, puts: (plan.set.puts ?? []).slice(0, 1) } }
      : plan,
  'an adoption that is answered and not stored': (plan) =>
    plan.kind === 'commit'
      ? {
          ...plan,
          set: { ...plan.set, puts: (plan.set.puts ?? []).filter((put) => !adopts(put)) },
        }
      : plan,
  'a replay that owes nothing': (plan) =>
    plan.kind === 'commit' && plan.set.puts?.some(replays)
      ? { ...plan, set: { ...plan.set, puts: plan.set.puts.filter((put) => !owes(put)) } }
      : plan,
  'an act without its audit entry': (plan) =>
    plan.kind === 'commit' ? { ...plan, set: { ...plan.set, appends: [] } } : plan,
}

describe('the room as a whole against a model', () => {
  it('answers as foreseen, and what is stored, owed and audited always fits together', async () => {
    const reached = await roomHolds(60, (ledger) => ledger)
    // The fixed history reaches them under every seed.
    const facts = [
      'open',
      'decided',
      'cancelled',
      'expired',
      'pending',
      'overdue',
      'resumed',
      'adopted',
    ]
    for (const fact of facts) assert.ok(reached.has(fact), `no run reached ${fact}`)
  })

  for (const [name, lose] of Object.entries(mutants))
    it(`would notice: ${name}`, () =>
      assert.rejects(
        roomHolds(100, (ledger) => losing(ledger, lose)),
        /Property failed/,
      ))
})

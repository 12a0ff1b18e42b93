import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { QueuedCase } from '@countersign/core'
import { createLedger, put } from '@countersign/core/ledger'
import fc, { type AsyncCommand } from 'fast-check'
import { applications } from '../../../applications/records.ts'
import type { Collection } from '../../../base/ports/store.ts'
import { erasureMarks } from '../../../content/erasure-marks.ts'
import { createKeptAnswers, type KeptAnswers } from '../../../kernel/kept-answers.ts'
import type { Counted } from '../../../kernel/ledger/change-counts.ts'
import { members } from '../../../organizations/access/records.ts'
import { deliveries } from '../../../outbox/records.ts'
import { portalChanges } from '../../../review/queue/operations.ts'
import { reviewCases } from '../../../review/records.ts'
import { routings, webhooks } from '../../../webhooks/records.ts'
import { ann, auditor, type Bench, bob, createBench, hour, start, value } from '../bench.ts'
import { Claim } from '../model/claim.ts'
import { commands } from '../model/commands.ts'
import { Open } from '../model/open.ts'
import { PassTime } from '../model/pass-time.ts'
import type { Model } from '../model/world.ts'

type Command = AsyncCommand<Model, Bench>

/** Answers nothing that it made before. */
const nothing: KeptAnswers = { of: async (_key, _seen, make) => (await make()).answer }

const asks = [
  {},
  { assignee: 'me' },
  { overdue: true },
  { state: 'expired' },
  { limit: 1 },
] as const

/** What members are told. */
async function toldBy(portal: Bench['portal']): Promise<unknown> {
  const told: unknown[] = []
  for (const member of [ann, bob, auditor]) told.push(value(await portal.readSummary(member, {})))
  for (const asked of asks) {
    const { pieces, ...rest } = value(await portal.listQueue(ann, { limit: 5, ...asked }))
    const rows: QueuedCase[] = []
    for await (const piece of pieces) rows.push(...piece)
    told.push({ ...rest, rows })
  }
  return told
}

/** A change from outside of the room, and another one that may take it back. */
class Change implements Command {
  readonly name: string
  readonly steps: readonly ((bench: Bench) => Promise<unknown>)[]

  constructor(name: string, ...steps: readonly ((bench: Bench) => Promise<unknown>)[]) {
    this.name = name
    this.steps = steps
  }

  check = () => true

  async run(_: Model, bench: Bench): Promise<void> {
    for (const step of this.steps) {
      await step(bench)
      await look(bench)
    }
  }

  toString = () => this.name
}

function set<R extends object>(
  collection: Collection<R>,
  is: (row: R) => boolean,
  to: Partial<R>,
): (bench: Bench) => Promise<unknown> {
  return async (bench) =>
    bench.store.rows(collection).some(({ row }) => is(row)) &&
    bench.change(collection, is, () => to)
}

const application = (to: object) =>
  set(applications, ({ applicationId }) => applicationId === 'app_1', to)
const delivery = (status: 'pending' | 'retry_scheduled' | 'dead_lettered') =>
  set(deliveries, ({ endpointId }) => endpointId === 'wh_1', { status })
const webhook = (to: object) => set(webhooks, () => true, to)
const routing = (changedAt: number) => set(routings, () => true, { changedAt })

const mark = {
  ...{ tenantId: 'ten_1', erasureRequestId: 'er_1', dataSubjectId: 'ds_1' },
  ...{ applicationId: null, packagesOf: [] },
}
const ledgerOf = ({ counting: store, clock, random }: Bench) =>
  createLedger({ store, clock, random })

const changes = {
  name: new Change('name', application({ name: 'Other' }), application({ name: 'app_1' })),
  hidden: new Change(
    'hidden',
    application({ lifecycleState: 'pending_deletion' }),
    application({ lifecycleState: 'active' }),
  ),
  member: new Change('member', (bench) =>
    bench.change(
      members,
      ({ memberId }) => memberId === 'mem_ann',
      ({ name }) => ({ name: `${name}!` }),
    ),
  ),
  erasure: new Change(
    'erasure',
    set(reviewCases, ({ dataSubjectId }) => dataSubjectId === null, { dataSubjectId: 'ds_1' }),
    (bench) => bench.counting.commit({ tenant: 'ten_1', puts: [put(erasureMarks, mark, null)] }),
    (bench) =>
      ledgerOf(bench).store.commit({
        tenant: 'ten_1',
        removes: [{ in: erasureMarks.name, key: ['ten_1', 'er_1'], version: 1 }],
      }),
    set(reviewCases, ({ dataSubjectId }) => dataSubjectId === 'ds_1', { dataSubjectId: null }),
  ),
  failing: new Change('failing', delivery('retry_scheduled'), delivery('pending')),
  dead: new Change('dead', delivery('retry_scheduled'), delivery('dead_lettered')),
  off: new Change('off', webhook({ status: 'turned_off' }), webhook({ status: 'receiving' })),
  ahead: new Change('ahead', (bench) => routing(bench.clock.now() + 50_000)(bench), routing(start)),
}

/** Looks after each command. */
function looking(command: Command): Command {
  return {
    check: (model) => command.check(model),
    run: async (model, bench) => {
      await command.run(model, bench)
      await look(bench)
    },
    toString: () => command.toString(),
  }
}

async function look(bench: Bench): Promise<void> {
  assert.deepEqual(await toldBy(bench.portal), await toldBy(bench.portalWith(nothing)))
}

/** Each change that is told, under every seed. */
const everyChange: readonly Command[] = [
  new Open(0, null),
  new Open(1, null),
  new Claim(0, false, 'ann'),
  ...Object.values(changes),
  // Both are due, then end, within the minute for which an answer is kept.
  new PassTime(hour - 30_000),
  changes.ahead,
  new PassTime(20_000),
  new PassTime(20_000),
  new PassTime(2 * hour - 20_000),
  new PassTime(20_000),
  changes.hidden,
]

/** Plays histories; throws where a kept answer is not the one that would be made. */
async function tellsChanges(
  numRuns: number,
  counted: readonly Counted[] = portalChanges,
  keep: (right: KeptAnswers) => KeptAnswers = (right) => right,
): Promise<void> {
  const all = [...commands, ...Object.values(changes).map((each) => fc.constant(each as Command))]
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        all.map((each) => each.map(looking)),
        { maxCommands: 12 },
      ),
      async (list) => {
        const bench = await createBench({ callback: true, counted })
        const portal = bench.portalWith(keep(createKeptAnswers()))
        const model: Model = { now: start, callback: true, cases: [] }
        const row = { webhookId: 'wh_1', tenantId: 'ten_1', status: 'receiving' }
        const verified = { ...row, verification: { state: 'verified' } }
        await bench.store.commit({
          tenant: null,
          puts: [{ in: webhooks.name, row: verified, was: null }],
        })
        await fc.asyncModelRun(() => ({ model, real: { ...bench, portal } }), list)
      },
    ),
    { numRuns, examples: [[everyChange.map(looking)]] },
  )
}

const mutants: Readonly<Record<string, (right: KeptAnswers) => KeptAnswers>> = {
  'time changes nothing': ({ of }) => ({
    of: (key, seen, make, rows) =>
      of(key, seen, async () => ({ ...(await make()), until: Number.POSITIVE_INFINITY }), rows),
  }),
  'nobody is told apart': ({ of }) => ({
    of: ([kind, tenantId], ...rest) => of([kind, tenantId], ...rest),
  }),
}

describe('what is kept of the queue and the summary', () => {
  it('is what would be made now, whatever happens', () => tellsChanges(15))

  for (const { name, rows } of portalChanges)
    for (const { in: collection } of rows)
      it(`would be noticed to be stale where changes of ${collection.name} in ${name} were not counted`, () =>
        assert.rejects(
          tellsChanges(
            5,
            portalChanges.map((each) =>
              each.name === name
                ? { name, rows: rows.filter((row) => row.in !== collection) }
                : each,
            ),
          ),
          /Property failed/,
        ))

  for (const [name, mutant] of Object.entries(mutants))
    it(`would be noticed to be stale where ${name}`, () =>
      assert.rejects(tellsChanges(5, portalChanges, mutant), /Property failed/))
})

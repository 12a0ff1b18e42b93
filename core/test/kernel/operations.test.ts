import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { Collection, Store } from '../../base/ports/store.ts'
import type { Actor, MemberActor } from '../../kernel/callers/actor.ts'
import { openGroups } from '../../kernel/facade.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { createLedger } from '../../kernel/ledger/ledger.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { rowsBy } from '../../kernel/list.ts'
import { object } from '../../kernel/members.ts'
import { Afterwards, operationsWith } from '../../kernel/operation.ts'
import type { KernelPorts } from '../../kernel/ports.ts'
import { answered, Refused } from '../../kernel/query.ts'
import { flag, line, type OutsOf, whole } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { optional } from '../../kernel/wrap.ts'
import { createManualClock, createMemoryStore, seededRandom } from '../../testing/index.ts'

interface Tools {
  readonly check: (url: string) => Promise<Result<string, 'invalid_url'>>
  readonly inTurn: <T>(run: () => Promise<T>) => Promise<T>
}

const shown = { id: line(10), value: whole(0, 100) }
const counts = table({
  name: 'counts',
  members: { tenantId: line(10), ...shown, note: optional(line(10)) },
  key: ['tenantId', 'id'],
  indexes: { byId: ['tenantId', 'id'] },
  tenant: 'tenantId',
  purge: { keep: 'a test' },
  retain: { keep: 'a test' },
})
const gives = object(shown, 'Count')
type Shown = OutsOf<typeof shown>
const { command, list, reading } = operationsWith<Tools>()

const raise = command({
  name: 'counts.raise',
  doc: 'Raise a count, and tell of it',
  by: ['member', 'application'],
  right: 'cancelCases',
  feature: 'webhooks',
  takes: { id: shown.id, url: optional(line(40)), records: optional(flag) },
  gives,
  refuses: ['invalid_url', 'not_pending'],
  prepare: async ({ orRefuse, tools }, { url }) =>
    url === undefined ? 'unchecked' : orRefuse(await tools.check(url)),
  around: ({ tools }, _, run) => tools.inTurn(run),
  async run(unit, { id, records }, checked) {
    const { tenantId } = unit.by
    const { was } = await unit.ask({ was: counts.get(tenantId, id) })
    const value = (was?.row.value ?? 0) + 1
    unit.put(counts, { tenantId, id, value, note: checked }, was)
    unit.emit({
      type: 'alert.resolved',
      applicationId: null,
      data: {
        ...{ alertRuleId: id, alertRuleName: id, metricName: 'reviews.open', severity: 'info' },
        ...{ currentValue: 0, threshold: 1, triggeredAt: '1970-01-01T00:00:00.000Z' },
      },
    })
    unit.mail({ to: null, subject: 'mail', text: '' })
    unit.count('raised', 1)
    unit.include({ puts: [put(counts, { tenantId, id: 'included', value }, null)] })
    if (records === true) unit.refuseRecording('not_pending', 'recorded all the same')
    if (records === false) unit.refuse('not_pending', 'nothing recorded', { facts: { value } })
    return { id, value }
  },
})

const wait = command({
  name: 'counts.wait',
  doc: 'Answer once it is committed',
  right: null,
  takes: { id: shown.id },
  gives,
  refuses: ['unavailable'],
  async run(unit, { id }) {
    unit.put(counts, { tenantId: unit.by.tenantId, id, value: 7 })
    return new Afterwards(async () => {
      const [found] = await unit.read([])
      return found ? { id, value: 0 } : unit.refuse('unavailable', 'after the commit')
    })
  },
})

/** Foresees what it reads. */
const look = command({
  name: 'counts.look',
  doc: 'Look at a count and at all of them',
  right: null,
  takes: { id: shown.id },
  gives,
  refuses: [],
  ahead: ({ by: { tenantId } }, { id }) => [
    ...counts.get(tenantId, id).reads,
    ...counts.by('key', { tenantId }).reads,
  ],
  async run(unit, { id }) {
    const { tenantId } = unit.by
    const { own, all } = await unit.ask({
      own: counts.get(tenantId, id),
      all: counts.by('key', { tenantId }),
    })
    return { id, value: own ? all.total : 0 }
  },
})

const knock = reading({
  name: 'counts.knock',
  doc: 'Answer anyone',
  by: 'anyone',
  right: null,
  takes: { id: shown.id },
  gives,
  refuses: [],
  run: async (_, { id }) => ({ id, value: 1 }),
})

const listCounts = list({
  name: 'counts.list',
  doc: 'List counts',
  right: 'readMembers',
  filter: {},
  items: 'counts',
  item: gives,
  refuses: [],
  source: ({ by: { tenantId } }) =>
    rowsBy(counts, {
      ...{ by: 'key', where: { tenantId }, cursor: 'id' },
      show: ({ id, value }): Shown => ({ id, value }),
    }),
})

const groups = { counts: [raise, wait, look, knock, listCounts] } as const
const ada: MemberActor = {
  ...{ kind: 'member', tenantId: 'ten_1', memberId: 'mem_1' },
  ...{ role: 'CustomerAdmin', permissions: [] },
}
const key: Actor = {
  ...{ kind: 'application', tenantId: 'ten_1', applicationId: 'app_1', keyId: 'key_1' },
}
const codeOf = (result: Result<unknown>) => (result.ok ? 'ok' : result.refusal.code)

describe('an operation', () => {
  let store: Store
  let steps: string[]
  let refused: { by?: Refused<'authentication_required'>; plan?: Refused<'plan_required'> }
  let ports: KernelPorts

  beforeEach(() => {
    const collections = [counts] as readonly unknown[] as readonly Collection[]
    store = createMemoryStore({ collections, logs: [auditLog] })
    const ledger = createLedger({ store, clock: createManualClock(0), random: seededRandom(1) })
    steps = []
    refused = {}
    const owed = (tenantId: string, id: string) => [put(counts, { tenantId, id, value: 1 }, null)]
    ports = {
      ledger,
      admit: (actor) => ({ ...answered(actor), of: () => refused.by ?? actor }),
      entitled: () => ({ ...answered(null), of: () => refused.plan ?? null }),
      fanOut: async (_, tenantId, events) => ({
        puts: events.flatMap(() => owed(tenantId, 'event')),
      }),
      post: { sends: true, owe: (_, tenantId) => owed(tenantId, 'mail') },
    }
  })

  const open = () =>
    openGroups(groups, ports, {
      check: async (url) => {
        steps.push('check')
        return url.startsWith('https:') ? ok('checked') : refuse('invalid_url', 'expected https')
      },
      inTurn: async (run) => {
        steps.push('begin')
        const done = await run()
        steps.push('end')
        return done
      },
    }).counts
  const stored = async (): Promise<readonly string[]> => {
    const [found] = await store.read(ada.tenantId, counts.by('key', { tenantId: 'ten_1' }).reads)
    return (found?.rows ?? []).map(({ row }) => (row as { readonly id: string }).id)
  }

  it('commits what it collects at once: rows, events, mails, counters and parts of others', async () => {
    assert.deepEqual(await open().raise(ada, { id: 'a' }), ok({ id: 'a', value: 1 }))
    assert.deepEqual(await stored(), ['a', 'event', 'included', 'mail'])
    const [counter] = await store.read(ada.tenantId, [{ counter: 'raised' }])
    assert.equal(counter?.total, 1)
  })

  it('prepares once, within what is around it, and hands on what it prepared', async () => {
    await open().raise(ada, { id: 'a', url: 'https://a' })
    assert.deepEqual(steps, ['begin', 'check', 'end'])
    const [row] = (await store.read('ten_1', counts.get('ten_1', 'a').reads))[0]?.rows ?? []
    assert.equal((row?.row as { readonly note?: string } | undefined)?.note, 'checked')
    assert.equal(codeOf(await open().raise(ada, { id: 'b', url: 'http://b' })), 'invalid_url')
    assert.ok(!(await stored()).includes('b'))
  })

  it('that refuses records what it collected only where it says so', async () => {
    const silent = await open().raise(ada, { id: 'a', records: false })
    assert.ok(!silent.ok)
    assert.deepEqual([silent.refusal.code, silent.refusal.facts], ['not_pending', { value: 1 }])
    assert.deepEqual(await stored(), [])
    assert.equal(codeOf(await open().raise(ada, { id: 'a', records: true })), 'not_pending')
    assert.deepEqual(await stored(), ['a', 'event', 'included', 'mail'])
  })

  it('is for the callers that it names, by their current rows and plan', async () => {
    const service = open()
    assert.equal(codeOf(await service.raise(key, { id: 'a' })), 'ok')
    assert.equal(codeOf(await service.raise({ kind: 'system' }, { id: 'b' })), 'forbidden')
    assert.equal(codeOf(await service.wait(key, { id: 'b' })), 'forbidden')
    assert.equal(codeOf(await service.knock({ id: 'b' })), 'ok')
    refused = { plan: new Refused('plan_required', 'no') }
    assert.equal(codeOf(await service.raise(ada, { id: 'b' })), 'plan_required')
    refused = { by: new Refused('authentication_required', 'no'), ...refused }
    assert.equal(codeOf(await service.raise(ada, { id: 'b' })), 'authentication_required')
    assert.ok(!(await stored()).includes('b'))
  })

  it('may answer after its commit, and refuse then what it has committed', async () => {
    assert.equal(codeOf(await open().wait(ada, { id: 'a' })), 'unavailable')
    assert.deepEqual(await stored(), ['a'])
  })

  it('has what it foresees from the round trip that finds the caller', async () => {
    const service = open()
    await service.wait(ada, { id: 'a' })
    await service.wait(ada, { id: 'b' })
    const { read } = store
    let reads = 0
    const counted: Store['read'] = (...asked) => {
      reads++
      return read(...asked)
    }
    Object.assign(store, { read: counted })
    assert.deepEqual(await service.look(ada, { id: 'a' }), ok({ id: 'a', value: 2 }))
    assert.equal(reads, 1)
  })

  it('lists pages under the name of the list, and rows behind a cursor', async () => {
    const service = open()
    for (const id of ['a', 'b', 'c']) await service.wait(ada, { id })
    const page = await service.list(ada, { page: 2, pageSize: 2 })
    assert.ok(page.ok)
    assert.deepEqual(page.value.counts, [{ id: 'c', value: 7 }])
    assert.deepEqual([page.value.totalCount, page.value.hasMore], [3, false])
    const rows = await service.list(ada, { after: 'a', limit: 1 })
    assert.ok(rows.ok)
    assert.deepEqual([rows.value.rows, rows.value.next], [[{ id: 'b', value: 7 }], 'b'])
    const both = await service.list(ada, { page: 1, after: 'a' } as { readonly page: number })
    assert.equal(codeOf(both), 'invalid_request')
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newOrganization } from '@countersign/core/testing'
import { applications } from '../../../applications/records.ts'
import type { Store } from '../../../base/ports/store.ts'
import type { StaffActor } from '../../../kernel/callers/actor.ts'
import { openGroups } from '../../../kernel/facade.ts'
import { auditLog } from '../../../kernel/ledger/audit.ts'
import { createLedger } from '../../../kernel/ledger/ledger.ts'
import { unchanged } from '../../../kernel/ledger/reads.ts'
import type { Result } from '../../../kernel/ledger/refusal.ts'
import { createPost } from '../../../kernel/mail/post.ts'
import type { WorkHandler } from '../../../kernel/work/handler.ts'
import { schedule, workItems } from '../../../kernel/work/records.ts'
import { createKernelPorts } from '../../../kernel-ports.ts'
import { members, type Tenant, tenants } from '../../../organizations/access/records.ts'
import { deliveries, messages } from '../../../outbox/records.ts'
import { judgementKind } from '../../../policies/judgement/item.ts'
import { createJudgement } from '../../../policies/judgement/judge.ts'
import { legalHolds } from '../../../removal/erasure/records.ts'
import { createTenantEnd, rowsOfTenants } from '../../../removal/lifecycle/end-tenant.ts'
import {
  requestTenantDeletion,
  type TenantDeletionTools,
} from '../../../removal/lifecycle/tenant-deletion.ts'
import { plainSealer } from '../../../testing/index.ts'
import { notificationChannels } from '../../../webhooks/channels/records.ts'
import { messageRetention } from '../../../webhooks/delivery/message-retention.ts'
import { webhooks } from '../../../webhooks/records.ts'
import { actingBetween } from '../../acting-between.ts'
import { day, hour, memoryPorts, processOn, start, value } from '../erasure/world.ts'
import { all, endDeliveries, filled, grace, textOf } from './world.ts'

const ops: StaffActor = { kind: 'staff', name: 'ops' }
const asked = {
  ticket: '4712',
  identity: { method: 'video call', verifiedBy: 'security', verifiedAt: start },
  authorizationForm: { sha256: '0'.repeat(64), signedBy: 'Ada Lovelace', signedAt: start },
}

async function world() {
  const w = await filled()
  const { service, deps, runnerOf } = w.process
  const post = createPost({ sealer: plainSealer() })
  const judge = runnerOf([createJudgement({ ...deps, post })])
  const ender = runnerOf([createTenantEnd(deps, rowsOfTenants(all))])
  const states = async () =>
    Promise.all(
      [w.first, w.second].map(
        async (id) =>
          value(await service.applications.read(w.admin, { applicationId: id })).lifecycleState,
      ),
    )
  return { ...w, service, deletions: service.tenants, ender, judge, states }
}

/** An organization without applications whose grace period is over; each tick of the runner carries the end one step on. */
async function bare(
  substitute: (end: WorkHandler, tenantId: string) => WorkHandler = (end) => end,
) {
  const ports = memoryPorts()
  const { service, deps, runnerOf } = processOn(ports)
  const { tenantId } = await newOrganization(service)
  value(await service.tenants.requestDeletion(ops, { tenantId, ...asked }))
  ports.clock.jump(7 * day)
  const end = createTenantEnd(deps, rowsOfTenants(all))
  const stepwise: WorkHandler = {
    ...end,
    async run(item, unit, owing) {
      const step = await end.run(item, unit, owing)
      return step.next === null ? step : { ...step, next: unit.now + hour }
    },
  }
  const runner = runnerOf([substitute(stepwise, tenantId)])
  const step = async () => {
    await runner.tick()
    ports.clock.jump(hour)
  }
  const row = (): Tenant | undefined => ports.store.rows(tenants)[0]?.row
  return { ...ports, service, tenantId, step, row }
}

describe('the deletion of an organization', () => {
  it('takes its applications with it, waits for what is owed, and leaves a tombstone', async () => {
    const w = await world()
    const view = value(await w.deletions.requestDeletion(ops, { tenantId: w.tenantId, ...asked }))
    assert.equal(view.state, 'pending_deletion')
    assert.deepEqual(
      value(await w.deletions.requestDeletion(ops, { tenantId: w.tenantId, ...asked })),
      view,
    )
    assert.deepEqual(await w.states(), ['pending_deletion', 'pending_deletion'])
    const made = await w.service.applications.create(w.admin, { name: 'too late' })
    assert.equal(made.ok || made.refusal.code, 'invalid_transition')
    const alone = await w.service.applications.cancelDeletion(w.admin, { applicationId: w.first })
    assert.equal(alone.ok || alone.refusal.code, 'invalid_transition')
    w.clock.jump(7 * day)
    await w.process.purger.tick()
    assert.deepEqual(await w.states(), ['purged', 'purged'])
    await w.ender.tick()
    assert.equal(w.store.rows(webhooks).length, 1, 'its last events are owed')
    const late = await w.deletions.cancelDeletion(ops, { tenantId: w.tenantId })
    assert.equal(late.ok || late.refusal.code, 'purge_started')
    await endDeliveries(w)
    w.clock.jump(hour)
    await w.ender.tick()
    assert.deepEqual(w.store.rows(webhooks), [])
    assert.deepEqual(w.store.rows(members), [])
    assert.deepEqual(
      w.store.rows(tenants).map(({ row }) => row),
      [
        {
          tenantId: w.tenantId,
          name: '',
          contactEmail: '',
          status: 'suspended',
          deletedAt: w.clock.now(),
          createdAt: 0,
          updatedAt: w.clock.now(),
        },
      ],
    )
    const left = all.filter((each) => w.store.rows(each).length > 0).map(({ name }) => name)
    const outbox = ['messages', 'deliveries']
    assert.deepEqual(left.filter((name) => !outbox.includes(name)).toSorted(), [
      'applications',
      'tenants',
      'workItems',
    ])
    const work = () =>
      w.store.rows(workItems).flatMap(({ row }) => (row.tenantId === null ? [] : row.kind))
    assert.deepEqual(new Set(work()), new Set(['purge.remains']), 'all but what ends itself')
    w.clock.jump(hour)
    await w.process.purger.tick()
    assert.deepEqual(work(), [])
    const judgements = () => w.store.rows(workItems).filter(({ row }) => row.kind === judgementKind)
    const item = { kind: judgementKind, ref: w.tenantId, tenantId: w.tenantId, applicationId: null }
    await w.store.commit({ tenant: null, puts: [schedule({ ...item, due: w.clock.now() })] })
    await w.judge.tick()
    assert.deepEqual(judgements(), [], 'nothing is left to judge')
    assert.deepEqual([...w.blobs.objects().keys()], [])
    const acts = (w.store.entries(auditLog).get(w.tenantId) ?? []).map(
      ({ entry }) => JSON.parse(new TextDecoder().decode(entry)).action,
    )
    assert.equal(acts.at(-1), 'tenant.deleted')
  })

  it('is taken back with its applications, but for those that were pending before', async () => {
    const w = await world()
    value(await w.service.applications.requestDeletion(w.admin, { applicationId: w.second }))
    value(await w.deletions.requestDeletion(ops, { tenantId: w.tenantId, ...asked }))
    const back = value(await w.deletions.cancelDeletion(ops, { tenantId: w.tenantId }))
    assert.equal(back.state, 'active')
    assert.deepEqual(await w.states(), ['active', 'pending_deletion'])
    const twice = await w.deletions.cancelDeletion(ops, { tenantId: w.tenantId })
    assert.equal(twice.ok || twice.refusal.code, 'not_pending')
    w.clock.jump(8 * day)
    await w.ender.tick()
    assert.equal(w.store.rows(members).length, 1)
  })

  it('is not taken back once its own rows are being removed, and nothing revives it', async () => {
    const w = await bare()
    const { tenants } = w.service
    const refused = Array.from({ length: 4 }, () => 'not_found')
    const late = {
      name: 'Bea',
      email: 'bea@acme.example',
      password: 'long enough 1',
      role: 'CustomerAuditor',
      permissions: [],
    } as const
    const refusals = async () => {
      const results = [
        await tenants.cancelDeletion(ops, { tenantId: w.tenantId }),
        await tenants.suspend(ops, { tenantId: w.tenantId, reason: 'x' }),
        await tenants.resume(ops, { tenantId: w.tenantId, reason: 'x' }),
        await tenants.setPlan(ops, { tenantId: w.tenantId, plan: 'Team' }),
        await w.service.members.create({ kind: 'system' }, { tenantId: w.tenantId, ...late }),
      ]
      return results.map((each) => each.ok || each.refusal.code)
    }
    await w.step()
    assert.equal(w.store.rows(members).length, 1, 'nothing goes before the beginning is recorded')
    const states = []
    for (let steps = 0; w.row()?.deletedAt === undefined; steps++) {
      assert.ok(steps < 20, 'it ends')
      const view = value(await tenants.requestDeletion(ops, { tenantId: w.tenantId, ...asked }))
      states.push(view.state)
      const before = w.row()
      assert.deepEqual(await refusals(), ['purge_started', ...refused])
      assert.deepEqual(w.row(), before)
      await w.step()
    }
    assert.ok(states.length > 1)
    assert.deepEqual(new Set(states), new Set(['purging']))
    const tombstone = w.row()
    assert.deepEqual(await refusals(), ['purge_started', ...refused])
    assert.deepEqual(w.row(), tombstone)
  })

  it('removes nothing where it was taken back just before it began', async () => {
    const w = await bare((end, tenantId) => ({
      ...end,
      async run(item, unit, owing) {
        const step = await end.run(item, unit, owing)
        await w.service.tenants.cancelDeletion(ops, { tenantId })
        return step
      },
    }))
    for (let steps = 0; steps < 5; steps++) await w.step()
    assert.deepEqual([w.row()?.name, w.row()?.deletion], ['Acme', null])
    assert.equal(w.store.rows(members).length, 1)
  })

  it('waits for what its chats are owed', async () => {
    const w = await world()
    value(await w.deletions.requestDeletion(ops, { tenantId: w.tenantId, ...asked }))
    w.clock.jump(7 * day)
    await w.process.purger.tick()
    await endDeliveries(w, ({ kind }) => kind !== 'slack')
    await w.ender.tick()
    assert.equal(w.store.rows(notificationChannels).length, 1)
    await endDeliveries(w)
    w.clock.jump(hour)
    await w.ender.tick()
    assert.deepEqual(w.store.rows(notificationChannels), [])
  })

  it('leaves of its own words the names of alerts in what was sent, for 30 days', async () => {
    const w = await world()
    const rule = {
      name: 'all of Acme',
      metricName: 'reviews.open',
      comparator: 'gte',
      threshold: 0,
      severity: 'warning',
    } as const
    value(await w.service.alertRules.create(w.admin, rule))
    w.clock.jump(hour)
    await w.judge.tick()
    await endDeliveries(w)
    value(await w.deletions.requestDeletion(ops, { tenantId: w.tenantId, ...asked }))
    w.clock.jump(7 * day)
    await w.process.purger.tick()
    await endDeliveries(w)
    await w.ender.tick()
    assert.ok(w.store.rows(tenants)[0]?.row.deletedAt)
    const words = ['Acme', 'Ada', 'ada@acme.example', 'hook.example', 'chat.example', 'open cases']
    const told = () =>
      all.flatMap((collection) =>
        w.store
          .rows(collection)
          .filter(({ row }) => words.some((word) => textOf(row).includes(word)))
          .map(({ row }) => [collection.name, row.type]),
      )
    assert.deepEqual(told(), [['messages', 'alert.triggered']])
    const retention = w.process.runnerOf([messageRetention])
    const until = async (at: number) => {
      w.clock.jump(at - w.clock.now())
      // A look removes what was due at the one before.
      for (let looks = 0; looks < 3; looks++) {
        await retention.tick()
        w.clock.jump(hour)
      }
    }
    const ended = w.clock.now()
    await until(ended + 29 * day)
    assert.equal(w.store.rows(messages).length > 0, true)
    await until(ended + 30 * day)
    assert.deepEqual(w.store.rows(messages), [])
    assert.deepEqual(w.store.rows(deliveries), [])
  })

  it('rests on what was seen already, but for 5 minutes between two clocks', async () => {
    const w = await world()
    const at = (verifiedAt: number, signedAt: number) =>
      w.deletions.requestDeletion(ops, {
        tenantId: w.tenantId,
        ...asked,
        identity: { ...asked.identity, verifiedAt },
        authorizationForm: { ...asked.authorizationForm, signedAt },
      })
    const latest = w.clock.now() + 5 * 60 * 1_000
    const refused = await at(latest + 1, 8.64e15)
    assert.deepEqual(refused.ok || refused.refusal.errors?.map(({ pointer }) => pointer), [
      '/identity/verifiedAt',
      '/authorizationForm/signedAt',
    ])
    assert.equal(value(await at(latest, latest)).state, 'pending_deletion')
  })

  it('needs another of staff, and no hold', async () => {
    const w = await world()
    const self = { ...asked, identity: { ...asked.identity, verifiedBy: 'ops' } }
    const among = (...staffNames: readonly string[]) =>
      requestOver(w, { deletionGraceMs: day, staffNames })
    const nobody = await among('ops', 'auditing')(ops, { tenantId: w.tenantId, ...asked })
    assert.equal(nobody.ok || nobody.refusal.errors?.[0]?.pointer, '/identity/verifiedBy')
    assert.doesNotMatch(nobody.ok ? '' : nobody.refusal.detail, /second/)
    // Who is alone is told that nobody can help, whomever they name.
    for (const input of [self, asked]) {
      const alone = await among('ops', 'ops')(ops, { tenantId: w.tenantId, ...input })
      assert.match(alone.ok ? '' : alone.refusal.detail, /needs a second member of staff/)
    }
    const own = await w.deletions.requestDeletion(ops, { tenantId: w.tenantId, ...self })
    assert.equal(own.ok || own.refusal.errors?.[0]?.pointer, '/identity/verifiedBy')
    value(await w.service.legalHolds.place(w.admin, { dataSubjectId: grace, matter: 'x' }))
    const held = await w.deletions.requestDeletion(ops, { tenantId: w.tenantId, ...asked })
    assert.equal(held.ok || held.refusal.code, 'blocked_by_hold')
    const member = await w.deletions.requestDeletion(w.admin, { tenantId: w.tenantId, ...asked })
    assert.equal(member.ok || member.refusal.code, 'forbidden')
  })

  it('meets a hold on one application that comes while the others are looked at', async () => {
    const w = await world()
    const [looked = ''] = [w.first, w.second].toSorted()
    const refused = await requestWhile(w, legalHolds.name, () =>
      w.service.legalHolds.place(w.admin, {
        dataSubjectId: grace,
        applicationId: looked,
        matter: 'x',
      }),
    )
    assert.equal(refused.ok || refused.refusal.code, 'blocked_by_hold')
    assert.deepEqual(await w.states(), ['active', 'active'])
  })

  it('takes an application with it that is created while the others are looked at', async () => {
    const w = await world()
    const asks = await requestWhile(w, applications.name, () =>
      w.service.applications.create(w.admin, { name: 'three' }),
    )
    const pending = value(asks).applications.map(({ lifecycleState }) => lifecycleState)
    assert.deepEqual(pending, Array(3).fill('pending_deletion'))
    const stored = w.store.rows(applications).map(({ row }) => row.lifecycleState)
    assert.deepEqual(stored, pending)
  })

  it('takes an application with it whose own deletion is taken back while the others are looked at', async () => {
    const w = await world()
    const applicationId = w.first
    value(await w.service.applications.requestDeletion(w.admin, { applicationId }))
    // As an organization is before its first alert rule and its first spans: no judgement is due that both would write.
    await w.store.commit({
      tenant: w.tenantId,
      removes: w.store
        .rows(workItems)
        .filter(({ row }) => row.kind === judgementKind)
        .map((was) => unchanged(workItems, was)),
    })
    const asks = await requestWhile(w, applications.name, () =>
      w.service.applications.cancelDeletion(w.admin, { applicationId }),
    )
    const pending = value(asks).applications.map(({ lifecycleState }) => lifecycleState)
    assert.deepEqual(pending, Array(2).fill('pending_deletion'))
    assert.deepEqual(await w.states(), pending)
  })
})

/** Asks for the deletion; what `act` does comes right behind its first look at a collection's rows. */
async function requestWhile(
  w: Awaited<ReturnType<typeof world>>,
  collection: string,
  act: () => Promise<Result<unknown>>,
) {
  const between = actingBetween(w.store, collection, async () => value(await act()))
  const request = requestOver({ ...w, store: between.store }, { deletionGraceMs: day })
  const done = await request(ops, { tenantId: w.tenantId, ...asked })
  assert.ok(between.acted())
  return done
}

/** Requests deletions over a store, with these tools. */
function requestOver(
  w: Pick<Awaited<ReturnType<typeof world>>, 'clock' | 'process'> & { readonly store: Store },
  tools: TenantDeletionTools,
) {
  const { deps, random } = w.process
  const ledger = createLedger({ store: w.store, clock: w.clock, random })
  const post = createPost({ sealer: plainSealer() })
  const ports = createKernelPorts({ ...deps, ledger, post })
  return openGroups({ tenants: [requestTenantDeletion] }, ports, tools).tenants.requestDeletion
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Collection } from '../../../base/ports/store.ts'
import { type Anchor, anchors, batches } from '../../../content/seal-records.ts'
import { subjectKeys } from '../../../content/vault/records.ts'
import { packagesPart } from '../../../evidence/packages/clean-up.ts'
import { openGroups } from '../../../kernel/facade.ts'
import { auditLog } from '../../../kernel/ledger/audit.ts'
import { createLedger } from '../../../kernel/ledger/ledger.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import { createKernelPorts } from '../../../kernel-ports.ts'
import { applicationKeys } from '../../../organizations/api-keys/key-records.ts'
import { deliveries, messages } from '../../../outbox/records.ts'
import { erasureRequests } from '../../../removal/erasure/records.ts'
import { createErasure } from '../../../removal/erasure/requests.ts'
import { purgePlanOf } from '../../../removal/lifecycle/purge-plan.ts'
import { purges } from '../../../removal/lifecycle/records.ts'
import { outcomeKeys } from '../../../review/outcome-keys.ts'
import { webhooks } from '../../../webhooks/records.ts'
import { actingBetween } from '../../acting-between.ts'
import { bytesOf, day, hour, value } from '../erasure/world.ts'
import { checkRemains, due, lastWord } from './remains.ts'
import { all, endDeliveries, filled, grace, naming, purgeProcess } from './world.ts'

describe('a purge', () => {
  it('leaves what outlives its application, and that until it ends', async () => {
    const w = await due()
    const { purger, service } = w.process
    await purger.tick()
    checkRemains(w, 'at once')
    assert.deepEqual(value(await service.applications.read(w.admin, { applicationId: w.first })), {
      applicationId: w.first,
      name: null,
      description: null,
      stage: null,
      lifecycleState: 'purged',
      version: null,
      createdAt: null,
      updatedAt: null,
      promotedAt: null,
      deletion: null,
      purgedAt: '2026-11-28T09:00:00.000Z',
      health: null,
      settings: null,
      outcomeCallback: null,
    })
    const outliving = w.store
      .rows(deliveries)
      .filter(({ row }) => row.applicationId === w.first && row.type !== lastWord)
    assert.ok(outliving.length > 0, 'nothing was unended')
    assert.deepEqual(new Set(outliving.map(({ row }) => row.kind)), new Set(['event', 'slack']))
    await endDeliveries(w)
    w.clock.jump(hour)
    await purger.tick()
    // The event goes to the webhook and to the chat.
    assert.deepEqual(
      naming(w, w.first).map(({ collection }) => collection),
      ['applications', 'messages', 'deliveries', 'deliveries'],
    )
    assert.equal(
      w.store.rows(webhooks).every(({ row }) => row.status === 'receiving'),
      true,
    )
  })

  it('cancels open cases, and ends callbacks without an event', async () => {
    const w = await due()
    await w.process.purger.tick()
    const types = w.store.rows(messages).map(({ row }) => row.type)
    assert.equal(types.includes('review.outcome'), false)
    assert.equal(types.includes('review.continuation.delivery_failed'), false)
    const cancelled = w.store
      .rows(messages)
      .filter(({ row }) => row.type === 'review.case.cancelled')
      .map(({ row }) => JSON.parse(new TextDecoder().decode(row.body)).reasonCategory)
    assert.ok(cancelled.includes('application_lifecycle'))
  })

  it('ends callbacks before it removes the keys under which their outcomes lie', async () => {
    const w = await due()
    const { tenantId, first: applicationId } = w
    const unsent = () =>
      w.store.rows(deliveries).filter(({ row }) => row.endpointId === w.first && row.due !== null)
    const reviewCaseId = 'rev_1'
    const unsentThen: number[] = []
    const seeing = purgeProcess(w, (handler) => ({
      ...handler,
      run: async (item, unit, owing) => {
        const [owed] = unsent()
        if (owed && w.store.rows(outcomeKeys).length === 0) {
          const { messageId } = owed.row
          const key = { tenantId, applicationId, messageId, reviewCaseId, sealed: bytesOf('key') }
          await w.store.commit({ tenant: null, puts: [put(outcomeKeys, key, null)] })
        }
        const step = await handler.run(item, unit, owing)
        if (step.set?.removes?.some((each) => each.in === outcomeKeys.name))
          unsentThen.push(unsent().length)
        return step
      },
    }))
    await seeing.purger.tick()
    assert.deepEqual(unsentThen, [0])
  })

  it('ends access with its keys, and refuses holds while it runs', async () => {
    const w = await due()
    const { service, ledger } = w.process
    let held: string | boolean | undefined
    const slow = purgeProcess({
      ...w,
      blobs: {
        ...w.blobs,
        list: async (query) => {
          const placed = await service.legalHolds.place(w.admin, {
            dataSubjectId: grace,
            matter: 'too late',
          })
          held ??= placed.ok || placed.refusal.code
          return w.blobs.list(query)
        },
      },
    })
    await slow.purger.tick()
    assert.equal(held, 'purge_started')
    assert.deepEqual(
      w.store.rows(applicationKeys).filter(({ row }) => row.applicationId === w.first),
      [],
    )
    assert.ok(ledger)
  })

  it('refuses a hold that names what is purged', async () => {
    const w = await due()
    await w.process.purger.tick()
    const placed = await w.process.service.legalHolds.place(w.admin, {
      dataSubjectId: grace,
      applicationId: w.first,
      matter: 'too late',
    })
    assert.equal(placed.ok || placed.refusal.code, 'purge_started')
    checkRemains(w, 'after the hold')
  })

  it('begins at once when the hold that kept it is released', async () => {
    const w = await due()
    const { purger, service } = w.process
    const hold = value(
      await service.legalHolds.place(w.admin, { dataSubjectId: grace, matter: 'a claim' }),
    )
    await purger.tick()
    const state = async () =>
      value(await service.applications.read(w.admin, { applicationId: w.first })).lifecycleState
    assert.equal(await state(), 'pending_deletion')
    value(await service.legalHolds.release(w.admin, { holdId: hold.holdId, reason: 'settled' }))
    await purger.tick()
    assert.equal(await state(), 'purged')
  })

  it('keeps anchors and their roots, and destroys the nonces', async () => {
    const w = await filled()
    const { tenantId, first } = w
    const anchor = { tenantId, sequence: 1, ledger: 'local', commitment: 'c', merkleRoot: 'r' }
    const anchored: Anchor = {
      ...anchor,
      previousHash: '0',
      anchoredAt: 1,
      keyId: 'k',
      signature: 's',
      entryHash: 'h',
      status: 'recorded',
      refreshDue: null,
      timeStamp: null,
      stampDue: null,
    }
    const batch = {
      tenantId,
      applicationId: first,
      batchId: 'batch',
      origin: 'submission' as const,
      merkleRoot: 'r',
      leaves: [],
      sealedAt: 1,
      nonce: 'the nonce',
      commitment: 'c',
      anchorDue: null,
      auditPosition: null,
      anchorSequence: 1,
    }
    await w.store.commit({
      tenant: null,
      puts: [put(anchors, anchored, null), put(batches, batch, null)],
    })
    value(await w.process.service.applications.requestDeletion(w.admin, { applicationId: first }))
    w.clock.jump(7 * day)
    await w.process.purger.tick()
    assert.deepEqual(
      w.store.rows(anchors).map(({ row }) => row),
      [anchored],
    )
    assert.deepEqual(w.store.rows(batches), [])
    checkRemains(w, 'with an anchor')
  })

  it('is in the audit log from its request to its end', async () => {
    const w = await due()
    await w.process.purger.tick()
    const entries = w.store.entries(auditLog).get(w.tenantId) ?? []
    const acts = entries
      .map(({ entry }) => JSON.parse(new TextDecoder().decode(entry)))
      .filter(({ subject, action }) => subject === w.first && action.startsWith('application.'))
      .map(({ action, actor }) => `${action} ${actor}`)
    assert.deepEqual(acts.slice(-3), [
      `application.deletion_requested member:${w.admin.memberId}`,
      'application.purge_started system',
      'application.purge_completed system',
    ])
  })
})

describe('a purge that fails', () => {
  it('is tried five times, then waits for the operators, and the sweep leaves it', async () => {
    const w = await due()
    const broken = purgeProcess({
      ...w,
      blobs: { ...w.blobs, list: () => Promise.reject(new Error('a broken disk')) },
    })
    for (let wait = 0; wait < 8; wait++) {
      await broken.purger.tick()
      w.clock.jump(day)
    }
    const [purge] = w.store.rows(purges)
    assert.equal(purge?.row.state, 'poisoned')
    assert.equal(purge?.row.attempts, 5)
    assert.equal(purge?.row.lastError, 'Error: a broken disk')
    assert.deepEqual(
      broken.heard.map(({ name }) => name),
      [...Array.from({ length: 4 }, () => 'purge.failed'), 'purge.poisoned'],
    )
    const { service } = w.process
    assert.equal(
      value(await service.applications.read(w.admin, { applicationId: w.first })).lifecycleState,
      'purging',
    )
  })
})

describe('an erasure in one application', () => {
  it('is refused where the application is purged while it is asked for', async () => {
    const w = await filled()
    value(await w.process.service.applications.requestDeletion(w.admin, { applicationId: w.first }))
    w.clock.jump(7 * day)
    const between = actingBetween(w.store, subjectKeys.name, () => w.process.purger.tick())
    const { clock, process, first } = w
    const { deps, random } = process
    const ledger = createLedger({ store: between.store, clock, random })
    const post = { sends: false, owe: () => [] }
    const opened = openGroups(
      { erasureRequests: [createErasure] },
      createKernelPorts({ ...deps, ledger, post }),
      deps,
    )
    const input = { dataSubjectId: grace, reason: 'other', confirm: true } as const
    const asked = { ...input, applicationId: first }
    const refused = await opened.erasureRequests.create(w.admin, asked)
    assert.ok(between.acted())
    assert.equal(refused.ok || refused.refusal.code, 'not_found')
    const stored = w.store.rows(erasureRequests).filter(({ row }) => row.scope === first)
    assert.deepEqual(stored, [])
  })
})

describe('the plan of a purge', () => {
  const named: Collection = {
    name: 'later',
    key: ['id'],
    columns: { id: 'text', applicationId: 'text' },
    indexes: {},
    tenant: 'system',
    purge: { keep: 'somebody forgot' },
    retain: { keep: 'made by a test' },
  }

  it('refuses a collection that names an application and keeps its rows', () => {
    assert.throws(() => purgePlanOf([named], packagesPart), /later names an application/)
  })

  it('refuses a collection that no index finds by its application', () => {
    const purge = { application: 'applicationId' }
    assert.throws(() => purgePlanOf([{ ...named, purge }], packagesPart), /expected an index/)
  })

  it('has every collection that has a column for the application', () => {
    const { keys, data, configuration } = purgePlanOf(all, packagesPart)
    const planned = [...keys, ...data, ...configuration].map(({ name }) => name)
    const apart = ['applications', 'purges', 'deliveries']
    for (const { name, columns } of all)
      if ('applicationId' in columns)
        assert.ok(planned.includes(name) || apart.includes(name), name)
  })
})

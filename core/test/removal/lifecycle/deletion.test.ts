import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applications } from '../../../applications/records.ts'
import { isoTime } from '../../../kernel/ledger/iso-time.ts'
import { workItems } from '../../../kernel/work/records.ts'
import { messages } from '../../../outbox/records.ts'
import { judgementKind } from '../../../policies/judgement/item.ts'
import { day, hour, openCase, start, value } from '../erasure/world.ts'
import { all, type Filled, filled, grace, purgeProcess } from './world.ts'

/** Every row of every collection but these, as it is; when its organization is judged again is no data of its own. */
function everythingBut(w: Filled, ...names: readonly string[]) {
  return all
    .filter(({ name }) => !names.includes(name))
    .map((collection) => [
      collection.name,
      w.store
        .rows(collection)
        .filter(({ row }) => (row as { readonly kind?: unknown }).kind !== judgementKind),
    ])
}

// What mails are counted in is the organization's, and ends within a day.
const besides = ['applications', 'countedLetters']

describe('the deletion of an application', () => {
  it('is asked for once, hides the application and closes it to its keys', async () => {
    const w = await filled()
    const { service } = w.process
    const asked = value(
      await service.applications.requestDeletion(w.admin, { applicationId: w.first }),
    )
    assert.equal(asked.lifecycleState, 'pending_deletion')
    assert.deepEqual(asked.deletion, {
      requestedAt: isoTime(start),
      requestedBy: `member:${w.admin.memberId}`,
      purgeAt: isoTime(start + 7 * day),
      blockedByHold: false,
    })
    w.clock.jump(hour)
    assert.deepEqual(
      value(await service.applications.requestDeletion(w.admin, { applicationId: w.first })),
      asked,
    )
    const shown = value(await service.applications.list(w.admin, { page: 1, pageSize: 20 }))
    assert.deepEqual(
      shown.applications.map(({ applicationId }) => applicationId),
      [w.second],
    )
    assert.deepEqual(
      value(await service.applications.read(w.admin, { applicationId: w.first })),
      asked,
    )
    const read = await service.reviewCases.read(w.application, {
      reviewCaseId: 'rc_00000000000000000000000000',
    })
    assert.equal(read.ok || read.refusal.code, 'application_gone')
  })

  it('is taken back as if nothing had been, also past its time', async () => {
    const w = await filled()
    const { service } = w.process
    const before = everythingBut(w, ...besides)
    const was = w.store.rows(applications)
    value(await service.applications.requestDeletion(w.admin, { applicationId: w.first }))
    w.clock.jump(8 * day)
    const back = value(
      await service.applications.cancelDeletion(w.admin, { applicationId: w.first }),
    )
    assert.equal(back.lifecycleState, 'active')
    assert.deepEqual(everythingBut(w, ...besides), before)
    assert.deepEqual(
      w.store.rows(applications).map(({ row }) => ({ ...row, deletion: null })),
      was.map(({ row }) =>
        row.applicationId === w.first
          ? { ...row, deletion: null, version: 4, updatedAt: start + 8 * day }
          : { ...row, deletion: null },
      ),
    )
    await openCase(service, w.application, 'again')
    await w.process.purger.tick()
    assert.equal(
      w.store.rows(applications).every(({ row }) => row.lifecycleState === 'active'),
      true,
    )
  })

  it('refuses what does not fit its state', async () => {
    const w = await filled()
    const { applications: use } = w.process.service
    const code = async (result: Promise<{ ok: boolean; refusal?: { code: string } }>) =>
      (await result).refusal?.code
    assert.equal(await code(use.cancelDeletion(w.admin, { applicationId: w.first })), 'not_pending')
    assert.equal(
      await code(use.requestDeletion(w.admin, { applicationId: 'app_unknown' })),
      'not_found',
    )
    value(await use.requestDeletion(w.admin, { applicationId: w.first }))
    w.clock.jump(7 * day)
    await w.process.purger.tick()
    assert.equal(
      await code(use.requestDeletion(w.admin, { applicationId: w.first })),
      'purge_started',
    )
    assert.equal(
      await code(use.cancelDeletion(w.admin, { applicationId: w.first })),
      'purge_started',
    )
  })

  for (const scope of ['the application', 'all applications'] as const)
    it(`is refused under a hold on ${scope}, and goes on once it is released`, async () => {
      const w = await filled()
      const { service } = w.process
      const hold = value(
        await service.legalHolds.place(w.admin, {
          dataSubjectId: grace,
          matter: 'a dispute',
          ...(scope === 'the application' ? { applicationId: w.first } : {}),
        }),
      )
      const refused = await service.applications.requestDeletion(w.admin, {
        applicationId: w.first,
      })
      assert.equal(refused.ok || refused.refusal.code, 'blocked_by_hold')
      value(await service.legalHolds.release(w.admin, { holdId: hold.holdId, reason: 'settled' }))
      value(await service.applications.requestDeletion(w.admin, { applicationId: w.first }))
    })

  it('is not kept by a hold on others', async () => {
    const w = await filled()
    const { service } = w.process
    const place = (more: object) =>
      service.legalHolds.place(w.admin, { dataSubjectId: grace, matter: 'x', ...more })
    value(await place({ applicationId: w.second }))
    value(await place({ dataSubjectId: 'nobody that is known' }))
    value(await service.applications.requestDeletion(w.admin, { applicationId: w.first }))
  })

  it('waits for a hold that came in the grace period, and tells the operators', async () => {
    const w = await filled()
    const { service, purger } = w.process
    value(await service.applications.requestDeletion(w.admin, { applicationId: w.first }))
    const hold = value(
      await service.legalHolds.place(w.admin, { dataSubjectId: grace, matter: 'a dispute' }),
    )
    w.clock.jump(7 * day)
    await purger.tick()
    const blocked = value(await service.applications.read(w.admin, { applicationId: w.first }))
    assert.equal(blocked.lifecycleState, 'pending_deletion')
    assert.equal(blocked.deletion?.blockedByHold, true)
    assert.deepEqual(w.process.heard, [
      {
        name: 'purge.blocked_by_hold',
        facts: { tenantId: w.tenantId, applicationId: w.first },
      },
    ])
    value(await service.legalHolds.release(w.admin, { holdId: hold.holdId, reason: 'settled' }))
    w.clock.jump(hour)
    await purger.tick()
    const purged = value(await service.applications.read(w.admin, { applicationId: w.first }))
    assert.equal(purged.lifecycleState, 'purged')
  })

  it('that was missed by the queue is taken up by the sweep at 02:00 UTC', async () => {
    const w = await filled()
    const { service } = w.process
    value(await service.applications.requestDeletion(w.admin, { applicationId: w.first }))
    const [lost] = w.store.rows(workItems).filter(({ row }) => row.kind === 'purge')
    assert.ok(lost)
    await w.store.commit({
      tenant: null,
      removes: [{ in: workItems.name, key: ['purge', w.first], version: lost.version }],
    })
    const other = purgeProcess(w)
    await other.purger.tick()
    w.clock.jump(7 * day)
    const [sweep] = w.store.rows(workItems).filter(({ row }) => row.kind === 'purge.sweep')
    assert.equal(isoTime(sweep?.row.due ?? 0), '2026-11-22T02:00:00.000Z')
    await other.purger.tick()
    assert.equal(
      value(await service.applications.read(w.admin, { applicationId: w.first })).lifecycleState,
      'purged',
    )
  })
})

describe('the promotion of an application', () => {
  it('is told once, and goes forward alone', async () => {
    const w = await filled()
    const { applications: use } = w.process.service
    const promoted = value(await use.promote(w.admin, { applicationId: w.first, to: 'staging' }))
    assert.equal(promoted.stage, 'staging')
    assert.equal(promoted.promotedAt, isoTime(start))
    assert.deepEqual(
      value(await use.promote(w.admin, { applicationId: w.first, to: 'staging' })),
      promoted,
    )
    const back = await use.promote(w.admin, { applicationId: w.first, to: 'development' })
    assert.equal(back.ok || back.refusal.code, 'invalid_transition')
    const told = w.store.rows(messages).filter(({ row }) => row.type === 'application.promoted')
    assert.deepEqual(
      told.map(({ row }) => JSON.parse(new TextDecoder().decode(row.body)).data),
      [{ fromStage: 'development', toStage: 'staging', promotedAt: isoTime(start) }],
    )
    value(await use.requestDeletion(w.admin, { applicationId: w.first }))
    const gone = await use.promote(w.admin, { applicationId: w.first, to: 'production' })
    assert.equal(gone.ok || gone.refusal.code, 'application_gone')
  })
})

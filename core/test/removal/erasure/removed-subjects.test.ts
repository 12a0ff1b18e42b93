import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, type MemberActor } from '@countersign/core'
import type { Collection } from '@countersign/core/ports'
import { sessions } from '../../../content/records.ts'
import { createPackageCleanUp } from '../../../evidence/packages/clean-up.ts'
import { evidencePackages } from '../../../evidence/packages/records.ts'
import { keptMs } from '../../../evidence/packages/start-package.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import { createRetention } from '../../../kernel/work/retention.ts'
import { tenants } from '../../../organizations/access/records.ts'
import { createErasure } from '../../../removal/erasure/erase.ts'
import { removedSubjects } from '../../../removal/erasure/records.ts'
import { createSessionRetention } from '../../../removal/erasure/retention.ts'
import { rowsOfSessions } from '../../../removal/erasure/session-rows.ts'
import { reviewCases as cases } from '../../../review/records.ts'
import { Killed, mortalPorts } from './mortal.ts'
import {
  day,
  hour,
  memoryPorts,
  openCase,
  organization,
  type Process,
  processOn,
  start,
  storeSession,
  value,
} from './world.ts'

const all = collections as readonly unknown[] as readonly Collection[]
const canary = 'the words of Grace'

/** An organization whose plan keeps sessions for 90 days and makes packages; the sessions of Grace end at its start. */
async function world() {
  const ports = memoryPorts()
  const process = processOn(ports)
  const acme = await organization(process.service)
  const { tenantId, admin, first } = acme
  const [tenant] = ports.store.rows(tenants)
  assert.ok(tenant)
  const row = { ...tenant.row, plan: 'Team' as const, retentionDays: 90 }
  assert.ok(
    (await ports.store.commit({ tenant: null, puts: [put(tenants, row, tenant)] })).committed,
  )

  const keep = (sessionId: string, subject: string, more: { of?: string; own?: string } = {}) =>
    storeSession(process, {
      tenantId,
      applicationId: more.of ?? first,
      sessionId,
      subject,
      steps: [{ stepId: 'a', text: canary, ...(more.own && { subject: more.own }) }],
      completedAt: start,
    })
  const exported = {
    bulk: () => process.service.evidencePackages.exportBulk(admin, { applicationIds: [first] }),
    auditor: () =>
      process.service.evidencePackages.exportAuditor(admin, { applicationIds: [first] }),
  }
  /** Makes a package of the first application. */
  const packed = async (kind: keyof typeof exported = 'bulk') => {
    const file = value(await exported[kind]())
    for await (const _ of file.pieces);
    return file.packageId
  }
  const erase = (dataSubjectId = 'grace') =>
    process.service.erasureRequests.create(admin, {
      dataSubjectId,
      reason: 'objection',
      confirm: true,
    })
  /** What is due of erasures, copies and sessions for their age, again and again. */
  const rest = async (by: Process = process) => {
    const runner = runnerOf(by)
    for (let look = 0; look < 3; look++) {
      ports.clock.jump(hour)
      await runner.tick()
    }
  }
  const left = () => ports.store.rows(sessions).map(({ row }) => row.sessionId)
  return { ...ports, ...acme, process, keep, packed, erase, rest, left }
}

type World = Awaited<ReturnType<typeof world>>

function runnerOf(process: Process) {
  const rows = rowsOfSessions(all, ['sessions', 'bundles'])
  return process.runnerOf([
    createErasure(process.deps),
    createPackageCleanUp(process.deps),
    createSessionRetention(process.deps, rows),
  ])
}

/** The text of a package that is kept; null for one that is gone. */
async function told(w: World, packageId: string, who: MemberActor = w.admin) {
  const file = await w.process.service.evidencePackages.download(who, { packageId })
  if (!file.ok) return null
  let text = ''
  for await (const piece of file.value.pieces) text += Buffer.from(piece).toString()
  return text
}

/** Erases Grace, to the end. */
async function erased(w: World) {
  const { erasureRequestId } = value(await w.erase())
  await w.rest()
  return value(await w.process.service.erasureRequests.read(w.admin, { erasureRequestId }))
}

describe('an erasure after retention removed the sessions of its subject', () => {
  it('ends the packages that were made before', async () => {
    const w = await world()
    await w.keep('hers', 'grace')
    w.clock.jump(90 * day)
    const packages = [await w.packed(), await w.packed('auditor')]
    await w.rest()
    assert.deepEqual(w.left(), [])
    assert.ok((await told(w, packages[0] ?? ''))?.includes(canary))
    const done = await erased(w)
    assert.equal(done.status, 'completed')
    assert.equal(done.counts?.applications, 1)
    for (const each of packages) assert.equal(await told(w, each), null)
    assert.deepEqual([w.store.rows(evidencePackages), w.store.rows(removedSubjects)], [[], []])
    assert.equal(w.blobs.objects().size, 0)
  })

  for (const [sessionId, where] of [
    ['never', 'of a session that never came'],
    ['his', "of another's session"],
  ] as const)
    it(`ends them where a case alone named her, ${where}`, async () => {
      const w = await world()
      await w.keep('his', 'alan')
      const { reviewCases } = w.process.service
      const { reviewCaseId } = await openCase(w.process.service, w.application, sessionId, {
        dataSubjectId: 'grace',
        presentation: { text: canary },
      })
      const reasonCategory = 'end_user_cancelled'
      value(await reviewCases.cancel(w.application, { reviewCaseId, reasonCategory }))
      w.clock.jump(90 * day)
      const packageId = await w.packed('auditor')
      await w.rest()
      assert.deepEqual([w.left(), w.store.rows(cases)], [[], []])
      assert.ok((await told(w, packageId))?.includes(canary))
      assert.equal((await erased(w)).counts?.applications, 1)
      assert.equal(await told(w, packageId), null)
    })

  it('ends them where she has data in another application alone', async () => {
    const w = await world()
    await w.keep('hers', 'grace')
    w.clock.jump(90 * day)
    await w.keep('elsewhere', 'grace', { of: w.second })
    const packageId = await w.packed()
    const young = w.store.rows(sessions).find(({ row }) => row.sessionId === 'elsewhere')
    assert.ok(young)
    const row = { ...young.row, completedAt: w.clock.now() }
    assert.ok((await w.store.commit({ tenant: null, puts: [put(sessions, row, young)] })).committed)
    await w.rest()
    assert.deepEqual(w.left(), ['elsewhere'])
    assert.ok((await told(w, packageId))?.includes(canary))
    assert.deepEqual([(await erased(w)).counts?.applications, await told(w, packageId)], [2, null])
  })

  it("ends them where a step in somebody else's session was hers", async () => {
    const w = await world()
    await w.keep('his', 'alan', { own: 'grace' })
    w.clock.jump(90 * day)
    const packageId = await w.packed()
    await w.rest()
    assert.deepEqual(w.left(), [])
    assert.equal((await erased(w)).status, 'completed')
    assert.equal(await told(w, packageId), null)
  })

  it('ends one that was streaming meanwhile', async () => {
    const w = await world()
    await w.keep('hers', 'grace')
    w.clock.jump(90 * day)
    const file = value(
      await w.process.service.evidencePackages.exportAuditor(w.admin, {
        applicationIds: [w.first],
      }),
    )
    let text = ''
    for await (const piece of file.pieces) {
      text += Buffer.from(piece).toString()
      if (text.includes('hers') && w.left().length > 0) await w.rest()
    }
    assert.deepEqual(w.left(), [])
    assert.ok((await told(w, file.packageId))?.includes('hers'))
    assert.equal((await erased(w)).status, 'completed')
    assert.equal(await told(w, file.packageId), null)
  })

  it('waits for a hold; a held session stays, and its subject is known by it', async () => {
    const w = await world()
    const hold = async () =>
      value(
        await w.process.service.legalHolds.place(w.admin, { dataSubjectId: 'grace', matter: 'x' }),
      ).holdId
    const release = async (holdId: string) =>
      value(await w.process.service.legalHolds.release(w.admin, { holdId, reason: 'x' }))
    await w.keep('hers', 'grace')
    const before = await hold()
    w.clock.jump(90 * day)
    const packageId = await w.packed()
    await w.rest()
    assert.deepEqual([w.left(), w.store.rows(removedSubjects)], [['hers'], []])
    await release(before)
    await w.rest()
    assert.deepEqual(w.left(), [])
    const after = await hold()
    assert.equal((await erased(w)).status, 'blocked_by_hold')
    assert.ok((await told(w, packageId))?.includes(canary))
    await release(after)
    await w.rest()
    assert.equal(await told(w, packageId), null)
  })

  it('ends them wherever the process of the retention died', async () => {
    /** Whether the process died after so many commits. */
    const died = async (commits: number) => {
      const w = await world()
      await w.keep('hers', 'grace')
      await w.keep('his', 'alan', { own: 'grace' })
      w.clock.jump(90 * day)
      const packageId = await w.packed()
      const killed = await w.rest(processOn(mortalPorts(w, { commits }))).then(
        () => false,
        (error: unknown) => error instanceof Killed,
      )
      const what = `after ${commits} commits`
      assert.ok((await w.erase()).ok, what)
      // The leases of what it held end.
      w.clock.jump(2 * hour)
      await w.rest()
      assert.equal(await told(w, packageId), null, what)
      assert.deepEqual(w.left(), [], what)
      return killed
    }
    let commits = 0
    while (await died(commits)) commits++
    assert.ok(commits > 15, `${commits} commits`)
  })

  it('is refused once no package of that time is kept, and for who never was', async () => {
    const w = await world()
    await w.keep('hers', 'grace')
    w.clock.jump(90 * day)
    await w.rest()
    const code = async (who?: string) => {
      const asked = await w.erase(who)
      return asked.ok ? 'none' : asked.refusal.code
    }
    assert.equal(await code('nobody'), 'not_found')
    const aging = w.process.runnerOf([createRetention(all)])
    await aging.tick()
    w.clock.jump(keptMs)
    await aging.tick()
    assert.equal(w.store.rows(removedSubjects).length, 1)
    w.clock.jump(day + 1)
    await aging.tick()
    w.clock.jump(hour)
    await aging.tick()
    assert.deepEqual(w.store.rows(removedSubjects), [])
    assert.equal(await code(), 'not_found')
  })
})

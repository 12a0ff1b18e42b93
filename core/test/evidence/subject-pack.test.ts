import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unwrap } from '@countersign/core'
import { byNewKey } from '@countersign/core/testing'
import { applications } from '../../applications/records.ts'
import { sessions, steps } from '../../content/records.ts'
import { evidencePackages } from '../../evidence/packages/records.ts'
import { partOf } from '../../evidence/subject/part.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { one, put } from '../../kernel/ledger/reads.ts'
import { erasureRequests } from '../../removal/erasure/records.ts'
import { fileIn, packageBlobs, pathsIn, takenWhole, type World } from './packs.ts'
import { evidenceWorld } from './world.ts'

const ada = { dataSubjectId: 'ada@customer.example' }
const pack = (world: World, subject = ada) =>
  takenWhole(world.service.evidencePackages.exportSubject(world.actor, subject))
const codeOf = (result: { ok: boolean; refusal?: { code: string } }) =>
  result.ok ? null : result.refusal?.code

/** A step of another person in the session of a subject. */
async function addStepOf(world: World, sessionId: string, other: string) {
  await world.stored({
    sessionId: `${sessionId}-other`,
    dataSubjectId: other,
    inputs: [1, 2, 'theirs'],
  })
  const row = world.store
    .rows(steps)
    .find(({ row }) => row.sessionId === `${sessionId}-other` && row.stepId === 'step-3')
  assert.ok(row)
  const moved = { ...row.row, scope: sessionId, sessionId, name: 'their step' }
  await world.store.commit({ tenant: world.tenantId, puts: [put(steps, moved, null)] })
  return row.row.dataSubjectId ?? ''
}

test('a subject is given what is held of them, and nothing of others', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: ada.dataSubjectId, inputs: ['my secret', { amount: 7 }] })
  await world.stored({ sessionId: 'ses_2', dataSubjectId: 'bob', inputs: ['his secret'] })
  const bob = await addStepOf(world, 'ses_1', 'bob')
  const { bytes } = await pack(world)
  assert.deepEqual(pathsIn(bytes), [
    'README.txt',
    'portable/sessions.json',
    'portable/sessions.csv',
    'processing-log.json',
    'erasures-and-holds.json',
    'access-report.json',
    'access-report.pdf',
    'manifest.json',
    'manifest.sig',
    'public-key.json',
  ])
  const text = bytes.toString()
  for (const foreign of ['his secret', 'their step', 'theirs', bob, 'bob', 'ses_2'])
    assert.ok(!text.includes(foreign), foreign)
  const portable = JSON.parse(fileIn(bytes, 'portable/sessions.json'))
  assert.match(portable.dataSubjectId, /^sub_/)
  const [session] = portable.sessions
  assert.equal(portable.sessions.length, 1)
  assert.deepEqual([session.own, session.stepsOfOthers], [true, 1])
  assert.deepEqual(
    session.steps.map(({ payload }: { payload: { input: unknown } }) => payload.input),
    ['my secret', { amount: 7 }],
  )
  assert.ok(session.scores.length > 0)
  for (const score of session.scores) assert.equal(score.inferred, true)
  const manifest = JSON.parse(fileIn(bytes, 'manifest.json'))
  assert.equal(manifest.packType, 'subject')
  assert.equal(manifest.scope.dataSubjectId, portable.dataSubjectId)
  const report = JSON.parse(fileIn(bytes, 'access-report.json'))
  assert.equal(report.sessionCount, 1)
  assert.ok(report.categories.includes('Content: inputs of steps'))
  const log = JSON.parse(fileIn(bytes, 'processing-log.json'))
  assert.deepEqual(
    new Set(log.entries.map(({ activity }: { activity: string }) => activity)),
    new Set(['session.received', 'session.completed', 'session.sealed', 'session.anchored']),
  )
  assert.equal(fileIn(bytes, 'portable/sessions.csv').trim().split('\r\n').length, 4)
})

test("a report names the controller and whom to write to, as the organization's profile does", async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: ada.dataSubjectId })
  const controllerOf = async () =>
    JSON.parse(fileIn((await pack(world)).bytes, 'access-report.json')).controller
  const given = unwrap(await world.service.profile.read(world.actor, {}))
  assert.deepEqual(await controllerOf(), {
    name: given.organizationName,
    contactEmail: given.contactEmail,
    country: null,
  })
  const profile = {
    organizationName: 'Ravenna',
    contactEmail: 'privacy@ravenna.example',
    country: 'IT',
  }
  unwrap(await world.service.profile.update(world.actor, profile))
  assert.deepEqual(await controllerOf(), {
    name: 'Ravenna',
    contactEmail: 'privacy@ravenna.example',
    country: 'IT',
  })
})

test('the steps of a subject in the session of another are theirs, and no more of it', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: 'bob', inputs: ['his secret'] })
  await addStepOf(world, 'ses_1', ada.dataSubjectId)
  const { bytes } = await pack(world)
  const { sessions: told } = JSON.parse(fileIn(bytes, 'portable/sessions.json'))
  const [first] = told.filter(({ own }: { own: boolean }) => !own)
  assert.deepEqual(Object.keys(first.session), [
    'applicationId',
    'sessionId',
    'startedAt',
    'endedAt',
  ])
  assert.deepEqual([first.steps.length, first.stepsOfOthers, first.scores], [1, 1, []])
  assert.ok(!bytes.toString().includes('his secret'))
})

test('a person known from cases alone is given them, with what was presented', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: 'bob', inputs: ['his secret'] })
  const { service, applicationId, actor } = world
  const application = await byNewKey(service, actor, applicationId)
  const opened = async (sessionId: string, text: string, dataSubjectId: string | null) =>
    unwrap(
      await service.reviewCases.open(application, {
        ...{ sessionId, checkpointId: text, idempotencyKey: text, dataSubjectId },
        ...{ reasonCategory: 'high_risk_action', presentation: { text } },
      }),
    )
  const mine = [await opened('never', 'my first', ada.dataSubjectId)]
  mine.push(await opened('ses_1', 'my second', ada.dataSubjectId))
  await opened('ses_1', 'his case', null)
  const { bytes } = await pack(world)
  const { sessions: told, reviewCases } = JSON.parse(fileIn(bytes, 'portable/sessions.json'))
  assert.deepEqual(told, [])
  const shown = reviewCases.map(
    ({ reviewCaseId, presentation }: { reviewCaseId: string; presentation: object }) => [
      reviewCaseId,
      presentation,
    ],
  )
  assert.deepEqual(
    new Map(shown),
    new Map(
      mine.map(({ reviewCaseId, presentation }): [string, unknown] => [reviewCaseId, presentation]),
    ),
  )
  const text = bytes.toString()
  for (const foreign of ['his case', 'his secret', 'resumeToken'])
    assert.ok(!text.includes(foreign), foreign)
  const report = JSON.parse(fileIn(bytes, 'access-report.json'))
  assert.deepEqual(report.automatedDecisions, ['Review cases: 2, of which people decided 0'])
  const his = (await pack(world, { dataSubjectId: 'bob' })).bytes.toString()
  assert.ok(!his.includes(mine[1]?.reviewCaseId ?? ''), 'a case that names another is not his')
})

test('a part without its filter would show the steps of others', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: ada.dataSubjectId })
  await addStepOf(world, 'ses_1', 'bob')
  const all = world.store.rows(steps).map(({ row }) => row)
  const own = world.store.rows(sessions).find(({ row }) => row.sessionId === 'ses_1')?.row
  assert.ok(own?.dataSubjectId)
  const facts = {
    session: own,
    steps: all.filter(({ sessionId }) => sessionId === 'ses_1'),
    ...{ cases: [], flags: [], annotations: [], reviews: [], seals: [] },
  } as unknown as Parameters<typeof partOf>[0]
  const part = partOf(facts, own.dataSubjectId)
  assert.deepEqual([facts.steps.length, part.facts.steps.length], [3, 2])
})

test('what an erasure, a hold and a lookup left is told, without who and why', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: ada.dataSubjectId })
  const { service } = world
  unwrap(await service.subjects.lookup(world.actor, ada))
  unwrap(await service.legalHolds.place(world.actor, { ...ada, matter: 'Smith against Acme' }))
  const asked = { ...ada, reason: 'objection', confirm: true } as const
  unwrap(await service.erasureRequests.create(world.actor, asked))
  const { bytes } = await pack(world)
  const { legalHolds, erasureRequests: requests } = JSON.parse(
    fileIn(bytes, 'erasures-and-holds.json'),
  )
  assert.deepEqual(
    [legalHolds.length, legalHolds[0].matter, requests.length, requests[0].reason],
    [1, '[redacted]', 1, 'objection'],
  )
  for (const hidden of ['Smith against Acme', world.actor.memberId])
    assert.ok(!bytes.toString().includes(hidden), hidden)
  const { audit } = JSON.parse(fileIn(bytes, 'processing-log.json'))
  assert.deepEqual(
    audit.map(({ activity, actor }: { activity: string; actor: string }) => [activity, actor]),
    [
      ['data_subject.looked_up', 'member'],
      ['legal_hold.placed', 'member'],
      ['erasure.requested', 'member'],
      ['evidence_package.started', 'member'],
    ],
  )
})

test('a package of a subject is kept for a day and shown to admins alone', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: ada.dataSubjectId })
  const { evidencePackages: packages } = world.service
  const { packageId } = await pack(world)
  world.clock.jump(1)
  const bulk = await takenWhole(
    packages.exportBulk(world.actor, { applicationIds: [world.applicationId] }),
  )
  const view = unwrap(await packages.read(world.actor, { packageId }))
  assert.equal(Date.parse(view.expiresAt) - Date.parse(view.createdAt), 24 * 60 * 60_000)
  const mere = {
    ...world.actor,
    role: 'CustomerAuditor',
    permissions: ['Export Evidence'],
  } as const
  assert.equal(codeOf(await packages.read(mere, { packageId })), 'not_found')
  assert.equal(codeOf(await packages.download(mere, { packageId })), 'not_found')
  assert.equal(codeOf(await packages.exportSubject(mere, ada)), 'forbidden')
  const page = { page: 1, pageSize: 10 }
  const listed = async (actor: World['actor']) => {
    const { packages: items, totalCount } = unwrap(await packages.list(actor, page))
    return [items.map((each) => each.packageId), totalCount]
  }
  assert.deepEqual(await listed(mere), [[bulk.packageId], 1])
  assert.deepEqual(await listed(world.actor), [[bulk.packageId, packageId], 2])
})

test('nobody, and an application that is being deleted, give nothing', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: ada.dataSubjectId })
  const { evidencePackages: packages } = world.service
  assert.equal(
    codeOf(await packages.exportSubject(world.actor, { dataSubjectId: 'eve' })),
    'not_found',
  )
  assert.equal(
    codeOf(await packages.subjectReport(world.actor, { dataSubjectId: 'eve' })),
    'not_found',
  )
  assert.equal(
    codeOf(await packages.exportSubject(world.actor, { dataSubjectId: '' })),
    'invalid_request',
  )
  const [was] = world.store.rows(applications)
  assert.ok(was)
  const gone = { ...was.row, lifecycleState: 'pending_deletion' as const }
  await world.store.commit({ tenant: null, puts: [put(applications, gone, was)] })
  const { bytes } = await pack(world)
  const manifest = JSON.parse(fileIn(bytes, 'manifest.json'))
  assert.deepEqual(manifest.scope.applicationIds, [])
  assert.equal(manifest.scope.inaccessibleCount, 1)
  assert.equal(JSON.parse(fileIn(bytes, 'portable/sessions.json')).sessions.length, 0)
})

test('the report alone leaves an entry of the audit log, and no package', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: ada.dataSubjectId })
  const report = unwrap(await world.service.evidencePackages.subjectReport(world.actor, ada))
  assert.match(report.fileName, /^sub_[0-9a-z]+-[0-9a-f]{8}-access-report\.pdf$/)
  assert.match(Buffer.from(report.bytes).toString(), /^%PDF access-report/)
  assert.deepEqual(world.store.rows(evidencePackages), [])
  const entries = world.store.entries(auditLog).get(world.tenantId) ?? []
  const last = JSON.parse(Buffer.from(entries.at(-1)?.entry ?? []).toString())
  assert.equal(last.action, 'access_report.exported')
})

test('an erasure that begins while a package streams ends it with an error', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: ada.dataSubjectId })
  unwrap(
    await world.service.erasureRequests.create(world.actor, {
      ...ada,
      reason: 'objection',
      confirm: true,
    }),
  )
  const started = unwrap(await world.service.evidencePackages.exportSubject(world.actor, ada))
  await assert.rejects(async () => {
    for await (const piece of started.pieces) {
      if (!Buffer.from(piece).includes('manifestVersion')) continue
      const [found] = await world.ledger.read(null, [
        {
          get: erasureRequests.name,
          key: [world.store.rows(erasureRequests)[0]?.row.erasureRequestId ?? ''],
        },
      ])
      const was = one(erasureRequests, found)
      assert.ok(was)
      const begun = {
        ...was.row,
        begunAt: world.clock.now(),
        applicationIds: [world.applicationId],
      }
      await world.store.commit({ tenant: null, puts: [put(erasureRequests, begun, was)] })
    }
  }, /erased/)
  assert.deepEqual([world.store.rows(evidencePackages), packageBlobs(world)], [[], []])
})

test('who leaves early ends the reading, and leaves nothing', async () => {
  const world = await evidenceWorld()
  for (let at = 0; at < 30; at++)
    await world.stored({
      sessionId: `ses_${at}`,
      dataSubjectId: ada.dataSubjectId,
      inputs: ['x'.repeat(60_000)],
    })
  const started = unwrap(await world.service.evidencePackages.exportSubject(world.actor, ada))
  let opened = 0
  const get = world.blobs.get.bind(world.blobs)
  world.blobs.get = (path) => {
    opened++
    return get(path)
  }
  let most = 0
  for await (const piece of started.pieces) {
    most = Math.max(most, piece.length)
    if (Buffer.from(piece).includes('"sessions":[')) break
  }
  const left = opened
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(opened <= left + 1 && opened < 10, `${opened} bundles were read`)
  assert.ok(most < 400_000, `a piece of ${most} bytes`)
  assert.deepEqual([world.store.rows(evidencePackages), packageBlobs(world)], [[], []])
})

test('guests of the sandbox are given a package that leaves nothing', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: ada.dataSubjectId })
  // The tenant's keys are there, as a seeded sandbox's are.
  await pack(world)
  const before = JSON.stringify([...world.store.entries(auditLog)])
  const packages = world.store.rows(evidencePackages).length
  const guest = { ...world.actor, guest: true } as const
  const { bytes } = await takenWhole(world.service.evidencePackages.exportSubject(guest, ada))
  await takenWhole(
    world.service.evidencePackages.exportBulk(guest, { applicationIds: [world.applicationId] }),
  )
  unwrap(await world.service.evidencePackages.subjectReport(guest, ada))
  assert.ok(pathsIn(bytes).includes('manifest.sig'))
  assert.equal(world.store.rows(evidencePackages).length, packages)
  assert.equal(packageBlobs(world).length, packages)
  assert.equal(JSON.stringify([...world.store.entries(auditLog)]), before)
})

test('a session of more rows than one document takes is in no part of the pack, and named; no report leaves it out', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: ada.dataSubjectId, inputs: ['one'] })
  await world.stored({ sessionId: 'ses_2', dataSubjectId: ada.dataSubjectId, inputs: ['two'] })
  unwrap(await world.service.annotations.create(world.actor, { sessionId: 'ses_2', text: 'seen' }))
  const { read } = world.store
  const most = 100_000
  Object.assign(world.store, {
    read: async (...asked: Parameters<typeof read>) =>
      (await read(...asked)).map((found) => {
        const [first] = found.rows
        const isAnnotation = first && 'annotationId' in (first.row as object)
        return isAnnotation ? { ...found, rows: Array(most).fill(first) } : found
      }),
  })
  const { bytes } = await pack(world)
  for (const path of ['portable/sessions.json', 'portable/sessions.csv', 'processing-log.json']) {
    const text = fileIn(bytes, path)
    assert.ok(text.includes('ses_1') && !text.includes('ses_2'), path)
  }
  const { omitted } = JSON.parse(fileIn(bytes, 'manifest.json'))
  assert.equal(omitted.length, 1)
  assert.match(omitted[0].path, /ses_2/)
  assert.equal(omitted[0].reason, 'evidence_too_large')
  const report = await world.service.evidencePackages.subjectReport(world.actor, ada)
  assert.equal(codeOf(report), 'evidence_too_large')
})

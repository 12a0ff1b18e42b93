import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createService, unwrap } from '@countersign/core'
import type { Exchange } from '@countersign/core/ports'
import { plainPorts, plainSealer } from '@countersign/core/testing'
import { erasureMarks } from '../../../content/erasure-marks.ts'
import { bundles } from '../../../content/payload-records.ts'
import { sessions, steps } from '../../../content/records.ts'
import { subjectKeys } from '../../../content/vault/records.ts'
import { verifyDocument } from '../../../evidence/verify/documents.ts'
import { verdictOf } from '../../../evidence/verify/finding.ts'
import { readEvidenceKeys } from '../../../evidence/verify/keys.ts'
import { auditLog } from '../../../kernel/ledger/audit.ts'
import { newId } from '../../../kernel/ledger/ids.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import { openedTexts } from '../../../kernel/sealing/sealed-texts.ts'
import { type AttemptRecord, attempts, messages } from '../../../outbox/records.ts'
import { sessionAnnotations } from '../../../policies/sessions/records.ts'
import { openWithOwnKey, outcomeKeys } from '../../../review/outcome-keys.ts'
import { reviewCases } from '../../../review/records.ts'
import { openOutcome } from '../../../review/sealing.ts'
import { openTexts } from '../../open-texts.ts'
import {
  day,
  hour,
  memoryPorts,
  openCase,
  organization,
  type Process,
  processOn,
  readable,
  storeSession,
  value,
} from './world.ts'

const grace = 'grace@example.com'
const alan = 'alan@example.com'

async function world() {
  const ports = memoryPorts()
  const process = processOn(ports)
  const { service } = process
  const acme = await organization(service)
  const { tenantId, first, second, admin } = acme
  await service.webhooks.create(admin, { url: 'https://hook.example/', eventTypes: ['*'] })
  const base = { tenantId, applicationId: first }
  await storeSession(process, {
    ...base,
    sessionId: 'own',
    subject: grace,
    steps: [
      { stepId: 'a', text: 'of Grace' },
      { stepId: 'b', text: 'of Alan', subject: alan },
    ],
    metadata: 'about Grace',
  })
  await storeSession(process, {
    ...base,
    sessionId: 'other',
    subject: alan,
    steps: [
      { stepId: 'a', text: 'of Alan' },
      { stepId: 'b', text: 'of Grace', subject: grace },
    ],
  })
  await storeSession(process, {
    ...base,
    applicationId: second,
    sessionId: 'second',
    subject: grace,
    steps: [{ stepId: 'a', text: 'of Grace' }],
  })
  await storeSession(process, {
    ...base,
    sessionId: 'nobody',
    subject: null,
    steps: [{ stepId: 'a', text: 'x' }],
  })
  return { ...ports, ...process, ...acme, process }
}

const request = (
  w: {
    service: Process['service']
    admin: Parameters<Process['service']['erasureRequests']['create']>[0]
  },
  more = {},
) =>
  w.service.erasureRequests.create(w.admin, {
    dataSubjectId: grace,
    reason: 'consent_withdrawn',
    confirm: true,
    ...more,
  })

async function erase(w: Awaited<ReturnType<typeof world>>, more = {}) {
  const { erasureRequestId } = value(await request(w, more))
  await w.runner.tick()
  return value(await w.service.erasureRequests.read(w.admin, { erasureRequestId }))
}

/** What the next process on this store sends within seconds; each POST is answered 200. */
async function sentBySuccessor(w: Awaited<ReturnType<typeof world>>): Promise<readonly Exchange[]> {
  const { store, blobs, clock, cipher } = w
  const plain = plainPorts(77)
  const ports = { ...plain, store, blobs, clock, cipher }
  const service = createService({ ports, ingestUrl: 'https://ingest.example' })
  service.start()
  await clock.advance(10_000)
  await service.drain(0)
  return plain.transport.exchanges
}

const left = [
  'nobody a input: x',
  'nobody a output: x, answered',
  'other a input: of Alan',
  'other a output: of Alan, answered',
  'own b input: of Alan',
  'own b output: of Alan, answered',
]

describe('an erasure', () => {
  it('makes the content of its subject unreadable, in every session, and no other', async () => {
    const w = await world()
    assert.equal((await readable(w.process, w.tenantId)).length, 13)
    const done = await erase(w)
    assert.equal(done.status, 'completed')
    assert.deepEqual(await readable(w.process, w.tenantId), left)
    assert.deepEqual(done.counts, {
      applications: 2,
      sessions: 3,
      payloads: 7,
      cases: 0,
      annotations: 0,
    })
    const statusOf = Object.fromEntries(
      w.store.rows(steps).map(({ row }) => [`${row.sessionId} ${row.stepId}`, row.payloadStatus]),
    )
    assert.deepEqual(statusOf, {
      'own a': 'erased',
      'own b': 'readable',
      'other a': 'readable',
      'other b': 'erased',
      'second a': 'erased',
      'nobody a': 'readable',
    })
    assert.deepEqual(
      Object.fromEntries(
        w.store.rows(sessions).map(({ row }) => [row.sessionId, row.payloadStatus]),
      ),
      { own: 'partly_erased', other: 'partly_erased', second: 'erased', nobody: 'readable' },
    )
    assert.equal(w.store.rows(bundles).length, 3)
    assert.equal(w.blobs.objects().size, 3)
    // Digests stay, so that leaves can be computed.
    for (const { row } of w.store.rows(steps))
      for (const payload of row.payloads) assert.equal(payload.digest.length, 64)
  })

  it('keeps within its application', async () => {
    const w = await world()
    const done = await erase(w, { applicationId: w.second })
    assert.deepEqual(done.counts, {
      applications: 1,
      sessions: 1,
      payloads: 2,
      cases: 0,
      annotations: 0,
    })
    assert.equal((await readable(w.process, w.tenantId)).length, 11)
  })

  it('tells steps of one id in two applications apart', async () => {
    const w = await world()
    const { tenantId } = w
    const step = (stepId: string, subject: string) => ({ stepId, text: subject, subject })
    const common = { tenantId, sessionId: 'shared', subject: 'alan' }
    await storeSession(w.process, {
      ...common,
      applicationId: w.first,
      steps: [step('s1', grace), step('s2', 'alan')],
    })
    await storeSession(w.process, {
      ...common,
      applicationId: w.second,
      steps: [step('s1', 'alan'), step('s2', grace)],
    })
    const { reviewCaseId } = await openCase(w.service, w.application, 'shared', { stepId: 's2' })
    const reasonCategory = 'end_user_cancelled' as const
    value(await w.service.reviewCases.cancel(w.application, { reviewCaseId, reasonCategory }))
    assert.equal((await erase(w)).counts?.cases, 0)
    for (const { row } of w.store.rows(reviewCases)) assert.notEqual(row.presentation, null)
  })

  it('tells its end once, with a certificate that verifies', async () => {
    const w = await world()
    const done = await erase(w)
    const told = w.store
      .rows(messages)
      .map(({ row }) => JSON.parse(new TextDecoder().decode(row.body)))
    const events = told.filter(({ type }) => type === 'gdpr.erasure_completed')
    assert.deepEqual(
      events.map(({ data, applicationId }) => ({ data, applicationId })),
      [
        {
          applicationId: null,
          data: {
            dataSubjectId: done.dataSubjectId,
            erasureRequestId: done.erasureRequestId,
            completedAt: done.completedAt,
            certificateUrl: `https://portal.example/v1/gdpr/erasure-requests/${done.erasureRequestId}/certificate`,
          },
        },
      ],
    )
    const certificate = value(
      await w.service.erasureRequests.certificate(w.admin, {
        erasureRequestId: done.erasureRequestId,
      }),
    )
    assert.deepEqual(certificate.applicationIds, [w.first, w.second].toSorted())
    const keys =
      readEvidenceKeys(unwrap(await w.service.evidenceKeys.read({ tenantId: w.tenantId }))) ??
      new Map()
    const judge = (document: object) => verdictOf(verifyDocument(document, keys)) === 'verified'
    assert.ok(judge(certificate))
    assert.ok(!judge({ ...certificate, dataSubjectId: 'sub_other' }))
    const printed = value(
      await w.service.evidence.erasureCertificatePdf(w.admin, {
        erasureRequestId: done.erasureRequestId,
      }),
    )
    assert.match(printed.fileName, /\.pdf$/)
    const unknown = await w.service.evidence.erasureCertificatePdf(w.admin, {
      erasureRequestId: 'ers_unknown',
    })
    assert.equal(unknown.ok ? null : unknown.refusal.code, 'not_found')
    const actions = [...(w.store.entries(auditLog).get(w.tenantId) ?? [])].map(
      ({ entry }) => JSON.parse(new TextDecoder().decode(entry)).action,
    )
    assert.deepEqual(
      actions.filter((action) => action.startsWith('erasure')),
      ['erasure.requested', 'erasure.completed'],
    )
  })

  it('names no raw id anywhere', async () => {
    const w = await world()
    await erase(w)
    const told = JSON.stringify([
      ...w.store.rows(messages).map(({ row }) => new TextDecoder().decode(row.body)),
      ...(w.store.entries(auditLog).get(w.tenantId) ?? []).map(({ entry }) =>
        new TextDecoder().decode(entry),
      ),
    ])
    assert.ok(!told.includes('grace'))
  })

  it('cancels open cases at once and leaves no text of any', async () => {
    const w = await world()
    const expiresAt = w.clock.now() + 60 * day
    const review = await openCase(w.service, w.application, 'own', { expiresAt })
    assert.equal((await erase(w)).status, 'completed')
    const [{ row: stored } = { row: null }] = w.store.rows(reviewCases)
    assert.ok(stored)
    const row = openedTexts(reviewCases, plainSealer(), stored)
    assert.equal(row.state, 'cancelled')
    assert.equal(row.cancellationReason, 'checkpoint_unavailable')
    assert.equal(row.presentation, null)
    assert.equal(row.resumeToken, null)
    assert.deepEqual(row.policyResults, [])
    const seen = value(
      await w.service.reviewCases.read(w.application, { reviewCaseId: review.reviewCaseId }),
    )
    assert.equal(seen.presentation, null)
  })

  it('waits for the outcomes of its cases, for 72 hours at most, when all else is gone', async () => {
    const w = await world()
    const callback = { url: 'https://application.example/outcome', enabled: true }
    value(
      await w.service.applications.setOutcomeCallback(w.admin, {
        applicationId: w.first,
        ...callback,
      }),
    )
    const { reviewCaseId } = await openCase(w.service, w.application, 'own')
    const { erasureRequestId } = value(await request(w))
    const read = async () =>
      value(await w.service.erasureRequests.read(w.admin, { erasureRequestId }))
    await w.runner.tick()
    const waiting = await read()
    assert.deepEqual([waiting.status, waiting.waitingFor], ['scheduled', 'callback'])
    assert.deepEqual(await readable(w.process, w.tenantId), left)
    const owed = () => w.store.rows(messages).filter(({ row }) => row.messageId.startsWith('cb_'))
    assert.equal(owed().length, 1)
    w.clock.jump(72 * hour - 1)
    await w.runner.tick()
    assert.equal((await read()).waitingFor, 'callback')
    assert.equal(owed().length, 1)
    w.clock.jump(1)
    await w.runner.tick()
    const done = await read()
    assert.deepEqual([done.status, done.waitingFor], ['completed', null])
    assert.deepEqual(owed(), [])
    const seen = value(await w.service.reviewCases.read(w.application, { reviewCaseId }))
    assert.equal(seen.callback.state, 'failed')
  })

  it('keeps each outcome that is still being sent under a key of its own, which goes with it', async () => {
    const w = await world()
    const callback = { url: 'https://application.example/outcome', enabled: true }
    value(
      await w.service.applications.setOutcomeCallback(w.admin, {
        applicationId: w.first,
        ...callback,
      }),
    )
    const closed = await openCase(w.service, w.application, 'own', { checkpointId: 'closed' })
    const reasonCategory = 'end_user_cancelled'
    const { cancel } = w.service.reviewCases
    value(await cancel(w.application, { reviewCaseId: closed.reviewCaseId, reasonCategory }))
    const open = await openCase(w.service, w.application, 'own')
    const owed = () => w.store.rows(messages).filter(({ row }) => row.messageId.startsWith('cb_'))
    assert.equal(owed().length, 1)
    const { erasureRequestId } = value(await request(w))
    await w.runner.tick()
    const sealer = plainSealer()
    const keys = w.store.rows(outcomeKeys).map(({ row }) => row)
    assert.deepEqual(
      keys.map(({ messageId }) => messageId).toSorted(),
      owed()
        .map(({ row }) => row.messageId)
        .toSorted(),
    )
    for (const { row } of owed()) {
      assert.throws(() => openOutcome(sealer, row))
      const key = keys.find(({ messageId }) => messageId === row.messageId)
      const other = keys.find(({ messageId }) => messageId !== row.messageId)
      const { cipher } = w
      assert.throws(() => openWithOwnKey({ cipher, sealer }, row, undefined), /a key that is gone/)
      assert.throws(() => openWithOwnKey({ cipher, sealer }, row, other), /a key that is gone/)
      const told = JSON.parse(
        new TextDecoder().decode(openWithOwnKey({ cipher, sealer }, row, key)),
      )
      assert.deepEqual([told.id, told.reviewCaseId], [row.messageId, key?.reviewCaseId])
    }

    const sent = await sentBySuccessor(w)
    const outcomes = sent.filter(({ url }) => url === callback.url)
    const told = outcomes.map(({ body }) => JSON.parse(new TextDecoder().decode(body)))
    assert.equal(told.length, 2)
    assert.deepEqual(
      new Set(told.map(({ reviewCaseId }) => reviewCaseId)),
      new Set([open.reviewCaseId, closed.reviewCaseId]),
    )
    for (const { reviewCaseId } of [open, closed]) {
      const seen = value(await w.service.reviewCases.read(w.application, { reviewCaseId }))
      assert.deepEqual([seen.callback.state, seen.presentation], ['received', null])
    }
    w.clock.jump(hour)
    await w.runner.tick()
    const done = value(await w.service.erasureRequests.read(w.admin, { erasureRequestId }))
    assert.equal(done.status, 'completed')
    assert.deepEqual([owed(), w.store.rows(outcomeKeys)], [[], []])
  })

  it('shows the attempts to send its outcomes without a digest, from its first commit on', async () => {
    const w = await world()
    const callback = { url: 'https://application.example/outcome', enabled: true }
    value(
      await w.service.applications.setOutcomeCallback(w.admin, {
        applicationId: w.first,
        ...callback,
      }),
    )
    const { reviewCaseId } = await openCase(w.service, w.application, 'own')
    const reasonCategory = 'end_user_cancelled'
    value(await w.service.reviewCases.cancel(w.application, { reviewCaseId, reasonCategory }))
    const [owed] = w.store.rows(messages).filter(({ row }) => row.type === 'review.outcome')
    assert.ok(owed)
    const { messageId, tenantId, family, type } = owed.row
    const row: AttemptRecord = {
      ...{ endpointId: w.first, attemptId: newId('att', w.clock.now(), w.random), tenantId },
      ...{ applicationId: w.first, deliveryId: 'dlv_1', messageId, type, family, attempt: 1 },
      ...{ trigger: 'event', startedAt: w.clock.now(), latencyMs: 1, outcome: 'failed' },
      ...{ error: 'timeout', requestHeaders: {}, responseStatus: null, responseHeaders: null },
      ...{ responseBody: null, truncated: false },
    }
    await w.store.commit({ tenant: null, puts: [put(attempts, row, null)] })
    const digests = async () => {
      const query = { limit: 10 }
      const { listCallbackAttempts } = w.service.reviewCases
      const { pieces } = value(await listCallbackAttempts(w.admin, { reviewCaseId, ...query }))
      const { value: rows } = await pieces.next()
      return Array.isArray(rows) ? rows.map(({ bodySha256 }) => bodySha256) : []
    }
    assert.match(String((await digests())[0]), /^[0-9a-f]{64}$/)
    const own = w.store.rows(sessions).find(({ row: { sessionId } }) => sessionId === 'own')
    const subject = { dataSubjectId: String(own?.row.dataSubjectId), applicationId: w.first }
    const begun = { tenantId, erasureRequestId: 'ers_begun', ...subject, packagesOf: [] }
    await w.store.commit({ tenant: null, puts: [put(erasureMarks, begun, null)] })
    assert.deepEqual(await digests(), [null])
    const [mark] = w.store.rows(erasureMarks)
    assert.ok(mark)
    const key = [tenantId, 'ers_begun'] as const
    const removes = [{ in: erasureMarks.name, key, version: mark.version }]
    await w.store.commit({ tenant: null, removes })
    assert.match(String((await digests())[0]), /^[0-9a-f]{64}$/)
    const { erasureRequestId } = value(await request(w))
    await w.runner.tick()
    const marks = () => w.store.rows(erasureMarks).length
    const stored = () => w.store.rows(messages).some((each) => each.row.messageId === messageId)
    // The outcome is still owed, for 72 hours; the mark is gone with all else.
    assert.deepEqual([marks(), stored(), await digests()], [0, true, [null]])
    w.clock.jump(73 * hour)
    await w.runner.tick()
    const done = value(await w.service.erasureRequests.read(w.admin, { erasureRequestId }))
    assert.deepEqual([done.status, marks(), stored()], ['completed', 0, false])
    assert.deepEqual(await digests(), [null])
  })

  it('lets no outcome of its cases be sent again, from its first commit on', async () => {
    const w = await world()
    // Closed while there was no callback, so that a replay would be the first to send it.
    const { reviewCaseId } = await openCase(w.service, w.application, 'own')
    value(
      await w.service.reviewCases.cancel(w.application, {
        reviewCaseId,
        reasonCategory: 'end_user_cancelled',
      }),
    )
    const other = await openCase(w.service, w.application, 'own', { checkpointId: 'another' })
    const callback = { url: 'https://application.example/outcome', enabled: true }
    value(
      await w.service.applications.setOutcomeCallback(w.admin, {
        applicationId: w.first,
        ...callback,
      }),
    )
    const replay = async (id: string) => {
      const answer = await w.service.reviewCases.replayCallback(w.admin, { reviewCaseId: id })
      return answer.ok ? 'sent' : answer.refusal.code
    }
    const { erasureRequestId } = value(await request(w))
    const read = async () =>
      value(await w.service.erasureRequests.read(w.admin, { erasureRequestId }))
    await w.runner.tick()
    // The outcome of the case that the erasure cancelled holds its end back.
    assert.equal((await read()).waitingFor, 'callback')
    assert.equal(await replay(reviewCaseId), 'invalid_transition')
    w.clock.jump(73 * hour)
    await w.runner.tick()
    assert.equal((await read()).status, 'completed')
    for (const id of [reviewCaseId, other.reviewCaseId])
      assert.equal(await replay(id), 'invalid_transition')
    assert.deepEqual(
      w.store.rows(messages).filter(({ row }) => row.messageId.startsWith('cb_')),
      [],
    )
  })

  it('leaves an open case of nobody alone, and those of others in a shared session', async () => {
    const w = await world()
    await openCase(w.service, w.application, 'nobody')
    const { reviewCaseId } = await openCase(w.service, w.application, 'other', { stepId: 'a' })
    await w.service.reviewCases.cancel(w.application, {
      reviewCaseId,
      reasonCategory: 'end_user_cancelled',
    })
    assert.equal((await erase(w)).status, 'completed')
    for (const { row } of w.store.rows(reviewCases)) assert.notEqual(row.presentation, null)
  })

  it('nulls what members wrote about its sessions', async () => {
    const w = await world()
    const at = { tenantId: w.tenantId, applicationId: w.first, createdAt: 0, createdBy: 'mem_1' }
    const note = (sessionId: string, annotationId: string) => ({
      in: 'sessionAnnotations',
      row: { ...at, sessionId, annotationId, stepId: null, label: 'a label', text: 'she asked' },
      was: null,
    })
    const ids = Array.from({ length: 120 }, (_, number) => `ann_${1_000 + number}`)
    const puts = [...ids.map((id) => note('own', id)), note('nobody', 'ann_1')]
    assert.ok((await openTexts(w.store).commit({ tenant: null, puts })).committed)
    assert.equal((await erase(w)).counts?.annotations, 120)
    const texts = w.store
      .rows(sessionAnnotations)
      .map(({ row }) => openedTexts(sessionAnnotations, plainSealer(), row))
      .map(({ sessionId, label, text }) => `${sessionId} ${label} ${text}`)
    assert.deepEqual(new Set(texts), new Set(['own null null', 'nobody a label she asked']))
  })

  it('is one for a subject and scope, and answers with that', async () => {
    const w = await world()
    const one = value(await request(w))
    assert.equal(one.status, 'received')
    assert.deepEqual(value(await request(w, { reason: 'other' })), one)
    const two = value(await request(w, { applicationId: w.first }))
    assert.notEqual(two.erasureRequestId, one.erasureRequestId)
    const named = value(await request(w, { dataSubjectId: one.dataSubjectId }))
    assert.equal(named.erasureRequestId, one.erasureRequestId)
    await w.runner.tick()
    const again = value(await request(w))
    assert.notEqual(again.erasureRequestId, one.erasureRequestId)
  })

  it('is refused for who is unknown, without confirmation, and by who may not', async () => {
    const w = await world()
    const codeOf = async (more: object) => {
      const refused = await request(w, more)
      return refused.ok ? 'none' : refused.refusal.code
    }
    assert.equal(await codeOf({ dataSubjectId: 'nobody@example.com' }), 'not_found')
    assert.equal(await codeOf({ applicationId: 'app_unknown' }), 'not_found')
    assert.equal(await codeOf({ confirm: false }), 'invalid_request')
    assert.equal(await codeOf({ reason: 'none' }), 'invalid_request')
    const auditor = { ...w.admin, role: 'CustomerAuditor' as const, permissions: [] }
    const refused = await request({ ...w, admin: auditor })
    assert.equal(refused.ok ? 'none' : refused.refusal.code, 'forbidden')
  })

  it('can be rejected until its first key is destroyed', async () => {
    const w = await world()
    const { erasureRequestId } = value(await request(w))
    const rejected = value(
      await w.service.erasureRequests.reject(w.admin, { erasureRequestId, reason: 'a mistake' }),
    )
    assert.equal(rejected.status, 'rejected')
    await w.runner.tick()
    assert.equal((await readable(w.process, w.tenantId)).length, 13)
    const done = await erase(w)
    const late = await w.service.erasureRequests.reject(w.admin, {
      erasureRequestId: done.erasureRequestId,
      reason: 'x',
    })
    assert.equal(late.ok ? 'none' : late.refusal.code, 'invalid_transition')
    const none = await w.service.erasureRequests.certificate(w.admin, { erasureRequestId })
    assert.equal(none.ok ? 'none' : none.refusal.code, 'not_found')
  })

  it('leaves what its subject does afterwards', async () => {
    const w = await world()
    await erase(w)
    await storeSession(w.process, {
      tenantId: w.tenantId,
      applicationId: w.first,
      sessionId: 'later',
      subject: grace,
      steps: [{ stepId: 'a', text: 'back' }],
    })
    assert.deepEqual(
      (await readable(w.process, w.tenantId)).filter((text) => text.startsWith('later')),
      ['later a input: back', 'later a output: back, answered'],
    )
    w.clock.jump(1_000)
    assert.equal((await erase(w)).counts?.payloads, 2)
    assert.deepEqual(await readable(w.process, w.tenantId), left)
    assert.equal(w.store.rows(subjectKeys).length, 2)
  })
})

describe('a legal hold', () => {
  const place = (w: Awaited<ReturnType<typeof world>>, more = {}) =>
    w.service.legalHolds.place(w.admin, { dataSubjectId: grace, matter: 'Case 12', ...more })

  it('blocks an erasure until it is released', async () => {
    const w = await world()
    const { holdId } = value(await place(w))
    const blocked = await erase(w)
    assert.deepEqual([blocked.status, blocked.waitingFor], ['blocked_by_hold', 'hold'])
    w.clock.jump(100 * day)
    await w.runner.tick()
    assert.equal((await readable(w.process, w.tenantId)).length, 13)
    const released = value(
      await w.service.legalHolds.release(w.admin, { holdId, reason: 'settled' }),
    )
    assert.equal(released.releaseReason, 'settled')
    await w.runner.tick()
    const done = value(
      await w.service.erasureRequests.read(w.admin, { erasureRequestId: blocked.erasureRequestId }),
    )
    assert.equal(done.status, 'completed')
    assert.deepEqual(
      value(await w.service.legalHolds.release(w.admin, { holdId, reason: 'again' })),
      released,
    )
  })

  it('covers one application, or all', async () => {
    const w = await world()
    value(await place(w, { applicationId: w.second }))
    assert.equal((await erase(w, { applicationId: w.first })).status, 'completed')
    assert.equal((await erase(w, { applicationId: w.second })).status, 'blocked_by_hold')
    assert.equal((await erase(w)).status, 'blocked_by_hold')
  })

  it('covers its application however many holds there are on others', async () => {
    const w = await world()
    for (let at = 0; at < 1_000; at++) value(await place(w, { applicationId: w.first }))
    w.clock.jump(1)
    value(await place(w, { applicationId: w.second }))
    assert.equal((await erase(w, { applicationId: w.second })).status, 'blocked_by_hold')
    const { activeHolds } = value(
      await w.service.subjects.lookup(w.admin, { dataSubjectId: grace }),
    )
    assert.equal(activeHolds, 1_001)
  })

  it('may be on a subject without data, is listed, and tells its event', async () => {
    const w = await world()
    const one = value(await place(w, { dataSubjectId: 'unknown@example.com' }))
    // Ids of one millisecond have no order.
    w.clock.jump(1)
    const two = value(await place(w))
    value(await w.service.legalHolds.release(w.admin, { holdId: one.holdId, reason: 'x' }))
    const ids = async (filter: { active?: boolean }) =>
      value(
        await w.service.legalHolds.list(w.admin, { ...filter, page: 1, pageSize: 20 }),
      ).legalHolds.map(({ holdId }) => holdId)
    assert.deepEqual(await ids({}), [two.holdId, one.holdId])
    assert.deepEqual(await ids({ active: true }), [two.holdId])
    assert.deepEqual(await ids({ active: false }), [one.holdId])
    const bodies = w.store
      .rows(messages)
      .map(({ row }) => JSON.parse(new TextDecoder().decode(row.body)))
    const placed = bodies.filter(({ type }) => type === 'gdpr.legal_hold_placed')
    assert.deepEqual(
      new Set(placed.map(({ data }) => data.holdId)),
      new Set([one.holdId, two.holdId]),
    )
    assert.ok(!JSON.stringify(placed).includes('Case 12'))
    const { activeHolds } = value(
      await w.service.subjects.lookup(w.admin, { dataSubjectId: grace }),
    )
    assert.equal(activeHolds, 1)
  })

  it('is refused once an erasure of its subject has begun', async () => {
    const w = await world()
    const { erasureRequestId } = value(await request(w))
    // Only what is due at this moment: the runner stops between two pieces.
    let begun = false
    const stop = w.ledger.subscribe((set) => {
      begun ||= (set.puts ?? []).some(({ row }) => 'begunAt' in row && row.begunAt !== null)
    })
    const held: string[] = []
    const unsubscribe = w.ledger.subscribe(() => {
      if (!begun || held.length > 0) return
      held.push('asked')
      void place(w).then((result) => held.push(result.ok ? 'placed' : result.refusal.code))
    })
    await w.runner.tick()
    stop()
    unsubscribe()
    assert.deepEqual(held, ['asked', 'invalid_transition'])
    const done = value(await w.service.erasureRequests.read(w.admin, { erasureRequestId }))
    assert.equal(done.status, 'completed')
  })
})

describe('the lookup of a subject', () => {
  it('counts sessions, names applications and is in the audit log', async () => {
    const w = await world()
    const found = value(await w.service.subjects.lookup(w.admin, { dataSubjectId: grace }))
    assert.equal(found.sessionCount, 3)
    assert.deepEqual(found.applicationIds, [w.first, w.second].toSorted())
    const again = value(
      await w.service.subjects.lookup(w.admin, { dataSubjectId: found.dataSubjectId }),
    )
    assert.deepEqual(again, found)
    const none = value(await w.service.subjects.lookup(w.admin, { dataSubjectId: 'unknown' }))
    assert.deepEqual([none.sessionCount, none.applicationIds], [0, []])
    const entries = [...(w.store.entries(auditLog).get(w.tenantId) ?? [])].map(({ entry }) =>
      new TextDecoder().decode(entry),
    )
    assert.equal(entries.filter((entry) => entry.includes('data_subject.looked_up')).length, 3)
  })
})

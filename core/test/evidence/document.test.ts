import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unwrap } from '@countersign/core'
import { subjectKeys } from '@countersign/core/internal'
import { answer, commit } from '@countersign/core/ledger'
import { portablePrimitives } from '@countersign/core/signing'
import fc from 'fast-check'
import { sliceSize } from '../../base/json/in-slices.ts'
import { bundles } from '../../content/payload-records.ts'
import { csvColumns, csvOf } from '../../evidence/csv.ts'
import { verdictOf, verifyDocument } from '../../evidence/index.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { type SessionFlag, sessionFlags } from '../../policies/flags/records.ts'
import {
  type SessionAnnotation,
  type SessionReview,
  sessionAnnotations,
  sessionReviews,
} from '../../policies/sessions/records.ts'
import { signedText } from '../../proof/signed-text.ts'
import { sampleEvidence } from '../../testing/index.ts'
import { watchJson } from '../base/json/watch-json.ts'
import { openTexts } from '../open-texts.ts'
import { evidenceWorld } from './world.ts'

type World = Awaited<ReturnType<typeof evidenceWorld>>

async function evidence(world: World, sessionId = 'ses_1') {
  return unwrap(await world.service.evidence.read(world.actor, { sessionId }))
}

/** Destroys the keys of every subject, as an erasure's first step does. */
async function shred({ store, ledger, tenantId }: World) {
  unwrap(
    await ledger.execute<null>(tenantId, async () => {
      const removes = store.rows(subjectKeys).map(({ row, version }) => ({
        in: subjectKeys.name,
        key: [row.tenantId, row.applicationId, row.subjectId] as const,
        version,
      }))
      return removes.length > 0 ? commit({ removes }, null) : answer(null)
    }),
  )
}

for (const leaf of ['record', 'submitted', null] as const)
  test(`a session (${leaf ?? 'not sealed'}) gives a document that verifies offline by the published keys`, async () => {
    const world = await evidenceWorld()
    await world.stored({ leaf })
    const document = await evidence(world)
    const findings = verifyDocument(JSON.parse(JSON.stringify(document)), await world.keys())
    assert.deepEqual(
      findings.filter(({ result }) => result === 'failed' || result === 'unchecked'),
      [],
    )
    assert.equal(verdictOf(findings), 'verified')
    assert.equal(document.integrity.leafInputStatus, leaf === null ? 'not_sealed' : 'present')
    assert.deepEqual(
      document.steps.map(({ payload }) => payload?.input),
      ['hello', { amount: 12 }],
    )
    assert.deepEqual(document.session.metadata, { channel: 'web' })
    assert.equal(document.organizationName, 'Ravenna')
    assert.deepEqual(Object.keys(document), [
      'evidenceVersion',
      'generatedAt',
      'asOf',
      'tenantId',
      'organizationName',
      'application',
      'session',
      'steps',
      'policyResults',
      'reviewCases',
      'sessionReviews',
      'annotations',
      'flags',
      'scores',
      'integrity',
      'erasure',
      'signatures',
    ])
  })

for (const leaf of ['record', 'submitted'] as const)
  test(`after an erasure the document (${leaf}) reads erased and still verifies`, async () => {
    const world = await evidenceWorld()
    await world.stored({ leaf, dataSubjectId: 'ada@customer.example' })
    await shred(world)
    const document = await evidence(world)
    assert.deepEqual(
      document.steps.map(({ payload, payloadStatus }) => [payload, payloadStatus]),
      [
        [null, 'erased'],
        [null, 'erased'],
      ],
    )
    assert.equal(document.session.metadata, null)
    assert.equal(document.session.payloadStatus, 'erased')
    assert.equal(document.erasure.payloadsUnreadable, 3)
    assert.match(document.erasure.erasedSubjects.join(), /^sub_[0-9a-z]{26}$/)
    assert.equal(JSON.stringify(document).includes('hello'), false)
    assert.equal(document.integrity.leafInputStatus, leaf === 'record' ? 'present' : 'erased')
    const findings = verifyDocument(JSON.parse(JSON.stringify(document)), await world.keys())
    assert.deepEqual(
      findings.filter(({ result }) => result === 'failed' || result === 'unchecked'),
      [],
    )
  })

test('the same facts give the same document but for its time, whatever else happens', async () => {
  const world = await evidenceWorld()
  await world.stored()
  const first = await evidence(world)
  world.clock.jump(60_000)
  await world.stored({ sessionId: 'ses_2' })
  const { generatedAt, signatures: _, ...rest } = await evidence(world)
  assert.notEqual(generatedAt, first.generatedAt)
  const { generatedAt: __, signatures: ___, ...before } = first
  assert.deepEqual(rest, before)
})

test('flags, notes and verdicts of people are in it, and the newest tells its time', async () => {
  const world = await evidenceWorld()
  const { tenantId, applicationId, sessionId } = await world.stored()
  const owner = { tenantId, applicationId, sessionId }
  const at = Date.UTC(2026, 10, 22)
  const flag: SessionFlag = {
    ...owner,
    flagId: 'flag_1',
    flag: 'safety',
    source: 'member',
    state: 'open',
    severity: 'warning',
    note: 'look',
    raisedBy: 'mem_1',
    raisedAt: at,
    clearedBy: null,
    clearedAt: null,
  }
  const annotation: SessionAnnotation = {
    ...owner,
    annotationId: 'ann_1',
    stepId: 'step-1',
    label: null,
    text: 'odd',
    createdBy: 'mem_1',
    createdAt: at + 1,
  }
  const review: SessionReview = {
    ...owner,
    sessionReviewId: 'rev_1',
    revision: 1,
    leafHash: null,
    decision: 'rejected',
    comment: null,
    reviewerId: 'mem_1',
    reviewerName: 'Ada',
    reviewedAt: at + 2,
  }
  await openTexts(world.store).commit({
    tenant: tenantId,
    puts: [
      put(sessionFlags, flag, null),
      put(sessionAnnotations, annotation, null),
      put(sessionReviews, review, null),
    ],
  })
  const document = await evidence(world)
  const iso = (ms: number) => new Date(ms).toISOString()
  const { tenantId: _, applicationId: __, ...toldReview } = review
  const { tenantId: ___, applicationId: ____, ...toldNote } = annotation
  assert.deepEqual(document.sessionReviews, [{ ...toldReview, reviewedAt: iso(at + 2) }])
  assert.deepEqual(document.annotations, [{ ...toldNote, createdAt: iso(at + 1) }])
  assert.equal(document.flags[0]?.raisedAt, iso(at))
  assert.equal(document.asOf, iso(at + 2))
})

test('a lost blob is damage, a removed one an erasure on its way', async () => {
  const world = await evidenceWorld()
  await world.stored()
  const [path] = world.blobs.objects().keys()
  await world.blobs.remove([path ?? ''])
  await assert.rejects(evidence(world), { code: 'payload_damaged' })
  // Its row is gone too, and the steps still name it: whoever removes it has not come to them.
  const [bundle] = world.store.rows(bundles)
  assert.ok(bundle)
  const { tenantId, applicationId, bundleId } = bundle.row
  const key = [tenantId, applicationId, bundleId] as const
  await world.store.commit({ tenant: null, removes: [{ in: bundles.name, key, version: 1 }] })
  const refused = await world.service.evidence.read(world.actor, { sessionId: 'ses_1' })
  assert.equal(refused.ok ? null : refused.refusal.code, 'busy')
})

test('another tenant finds no session, two applications need a name, a document needs the permission', async () => {
  const world = await evidenceWorld()
  await world.stored()
  const codeOf = async (actor: World['actor'], of = {}) => {
    const got = await world.service.evidence.read(actor, { sessionId: 'ses_1', ...of })
    return got.ok ? got.value.application.applicationId : got.refusal.code
  }
  assert.equal(await codeOf({ ...world.actor, tenantId: 'ten_other' }), 'not_found')
  const other = await world.newApplication()
  await world.stored({ applicationId: other })
  assert.equal(await codeOf(world.actor), 'ambiguous_session')
  assert.equal(await codeOf(world.actor, { applicationId: other }), other)
  const mere = { ...world.actor, role: 'CustomerAuditor', permissions: [] } as const
  assert.equal(await codeOf(mere), 'forbidden')
})

test('a certificate proves the seal by the published keys, and an unsealed session has none', async () => {
  const world = await evidenceWorld()
  await world.stored()
  await world.stored({ sessionId: 'ses_2', leaf: null })
  const certificate = unwrap(
    await world.service.evidence.certificate(world.actor, { sessionId: 'ses_1' }),
  )
  assert.equal(verdictOf(verifyDocument(certificate, await world.keys())), 'verified')
  assert.equal(certificate.statement, 'Not anchored on a public chain: local signed checkpoint 1.')
  const forged = { ...certificate, proof: { ...certificate.proof, leafHash: '0'.repeat(64) } }
  assert.equal(verdictOf(verifyDocument(forged, await world.keys())), 'failed')
  const none = await world.service.evidence.certificate(world.actor, { sessionId: 'ses_2' })
  assert.equal(none.ok ? null : none.refusal.code, 'not_sealed')
})

test('a document tells the stage of its application', async () => {
  const world = await evidenceWorld()
  await world.stored()
  assert.equal((await evidence(world)).application.stage, 'development')
  const input = { name: 'Assistant', stage: 'production' } as const
  const made = unwrap(await world.service.applications.create(world.actor, input))
  await world.stored({ applicationId: made.applicationId, sessionId: 'ses_2' })
  assert.equal((await evidence(world, 'ses_2')).application.stage, 'production')
})

test('a plan without archives and certificates has the session and its subject alone', async () => {
  for (const [plan, refused] of [
    ['Builder', 'plan_required'],
    ['Team', null],
  ] as const) {
    const world = await evidenceWorld(plan)
    await world.stored({ dataSubjectId: 'ada' })
    const { evidence, evidencePackages: packages } = world.service
    const codeOf = (result: { ok: boolean; refusal?: { code: string } }) =>
      result.ok ? null : result.refusal?.code
    const applicationIds = [world.applicationId]
    const session = { sessionId: 'ses_1' }
    for (const result of [
      await packages.exportBulk(world.actor, { applicationIds }),
      await packages.exportAuditor(world.actor, { applicationIds }),
      await evidence.certificate(world.actor, session),
      await evidence.certificatePdf(world.actor, session),
    ])
      assert.equal(codeOf(result), refused, plan)
    for (const result of [
      await evidence.read(world.actor, session),
      await evidence.pack(world.actor, session),
      await packages.exportSubject(world.actor, { dataSubjectId: 'ada' }),
      await packages.subjectReport(world.actor, { dataSubjectId: 'ada' }),
    ])
      assert.equal(codeOf(result), null, plan)
    // Who may not is told that first.
    const mere = { ...world.actor, role: 'CustomerAuditor', permissions: [] } as const
    assert.equal(codeOf(await packages.exportBulk(mere, { applicationIds: [] })), 'forbidden')
  }
})

/** Reads RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/gy
  for (let found = cell.exec(text); found && found[0] !== ''; found = cell.exec(text)) {
    const [, raw = '', end] = found
    rows.at(-1)?.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw)
    if (end === '\r\n') rows.push([])
  }
  return rows.filter((row) => row.length > 0)
}

test('a CSV has a row for the session and each step, and no cell is a formula', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '=1+1',
      '+1',
      '-1',
      '@x',
      '\tx',
      '\r\n=x',
      ' =x',
      '\u00a0+1',
      '"',
      ',',
      '"=a",b',
    ),
  )
  const faultsOf = (name: string, write: typeof csvOf) => {
    const document = sampleEvidence({ steps: 2 })
    const [first, second] = document.steps
    if (!first || !second) return ['no steps']
    const text = write({ ...document, steps: [{ ...first, name }, second] })
    const rows = parseCsv(text)
    const told = rows[2]?.[6]
    return [
      ...(rows.length === 4 && rows.every((row) => row.length === csvColumns.length)
        ? []
        : ['shape']),
      // Each cell is empty, a number or a text in quotes.
      ...(/^(?:(?:-?\d+|"(?:[^"]|"")*"|)(?:,|\r\n))*$/.test(text) ? [] : ['quotes']),
      ...(told === name || told === `'${name}` ? [] : ['name']),
      ...(rows.some((row) => row.some((each) => /^\s*[=+\-@]/.test(each))) ? ['formula'] : []),
    ]
  }
  fc.assert(fc.property(hostile, (name) => faultsOf(name, csvOf).length === 0))
  const undefused: typeof csvOf = (document) => csvOf(document).replaceAll("'=", '=')
  assert.deepEqual(faultsOf('=1+1', undefused), ['formula'])
  const unquoted: typeof csvOf = (document) => csvOf(document).replaceAll('"plain"', 'plain')
  assert.deepEqual(faultsOf('plain', unquoted), ['quotes'])
})

test('a large document is told and signed in slices, on the thread that signs where there is one', async () => {
  const asked: number[] = []
  const signing = {
    ed25519Signer: (seed: Uint8Array) => {
      const sign = portablePrimitives.ed25519Signer(seed)
      return async (prefix: string, bytes: Uint8Array) => {
        asked.push(bytes.length)
        return sign(prefix, bytes)
      }
    },
  }
  let pause = async () => {}
  const world = await evidenceWorld('Enterprise', { pause: () => pause(), signing })
  await world.stored({ inputs: Array.from({ length: 120 }, (_, at) => `${at} `.repeat(1_000)) })
  const watched = watchJson()
  pause = watched.pause
  const document = await evidence(world).finally(watched.end)
  const { most, pauses } = watched.end()
  assert.ok(most < 2 * sliceSize, `${most} characters between two pauses`)
  const { length } = JSON.stringify(document)
  assert.ok(pauses > length / sliceSize, `${pauses} pauses`)
  assert.deepEqual(asked, [signedText(document).length])
  assert.equal(verdictOf(verifyDocument(document, await world.keys())), 'verified')
})

test('a CSV begins with a byte order mark where one is asked for, and tells what its source dropped', async () => {
  const { service, actor, stored } = await evidenceWorld()
  await stored()
  const csv = async (bom?: boolean) => {
    const asked = { sessionId: 'ses_1', ...(bom !== undefined && { bom }) }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      unwrap(await service.evidence.csv(actor, asked)).bytes,
    )
  }
  const plain = await csv()
  assert.ok(plain.startsWith('"row_type"'))
  assert.equal(await csv(false), plain)
  assert.equal(await csv(true), `\ufeff${plain}`)
  const document = sampleEvidence({ steps: 2 })
  const at = csvColumns.indexOf('incomplete_at_source')
  for (const incompleteAtSource of [true, false]) {
    const session = { ...document.session, incompleteAtSource }
    const [, first, ...steps] = parseCsv(csvOf({ ...document, session }))
    assert.equal(first?.[at], String(incompleteAtSource))
    assert.deepEqual(
      steps.map((row) => row[at]),
      ['', ''],
    )
  }
})

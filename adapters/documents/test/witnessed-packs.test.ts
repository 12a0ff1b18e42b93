import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type EvidenceDocument, signDocument } from '@countersign/core/evidence'
import { openEvidence, resealedEvidence, sampleEvidence } from '@countersign/core/testing'
import { readKnownFiles, verifyFile } from '@countersign/documents/verify'
import { fileOf, folder, issuer, packedAgain } from './packs.ts'
import { isMissing, type Said, saidBySecond } from './second-process.ts'
import { compared, knownOf, saidByFirst } from './second-verifier.ts'
import { subjects } from './subjects.ts'
import { auditorForgeries, listsOf } from './witnessed-packs.ts'

const skip = isMissing()
const made = skip ? Promise.resolve([]) : subjects()
const keyFile = fileOf(JSON.stringify(issuer.jwk), 'keys.json')

async function subjectOf(kind: string) {
  const found = (await made).find(({ name }) => name === kind)
  assert.ok(found)
  return found
}

const auditorOf = () => subjectOf('auditor')

/** What both verifiers say of a document, which is the same. */
async function saidOf(document: object, known: readonly string[]): Promise<Said> {
  const { keys } = await subjectOf('sample')
  const file = fileOf(JSON.stringify(document), 'evidence.json')
  const first = await saidByFirst(file, keys, known)
  assert.deepEqual(await saidBySecond([file], keyFile, known), [first])
  return first
}

const held = (document: unknown) => fileOf(JSON.stringify(document), 'evidence.json')
const signed = (document: object) => signDocument(document as unknown as EvidenceDocument, issuer)

describe('what stands behind a pack, as two verifiers see it', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('is no ledger, root or log behind a forgery of which they say nothing', { skip }, async () => {
    const auditor = await auditorOf()
    const lists = listsOf(auditor)
    const ledger = fileOf(auditor.files.get('anchors.jsonl') ?? '', 'anchors.jsonl')
    const [, all = []] = await knownOf(auditor)
    const evidence = (await knownOf(await subjectOf('bulk')))[1] ?? []
    const roots = fileOf(lists.batches.map(({ merkleRoot }) => merkleRoot).join('\n'), 'roots.txt')
    const written = []
    for (const [name, { files, head }] of Object.entries(auditorForgeries(lists))) {
      const file = fileOf(await packedAgain(files, auditor.sealer, head))
      for (const known of [[], [ledger], [roots], [ledger, roots], all]) {
        written.push({ name, file, known })
        const { verdict, witness } = await saidByFirst(file, auditor.keys, known)
        const isWhole = verdict === 'verified' && witness === 'witnessed'
        assert.ok(!isWhole, `${name}, ${known.length} held: ${verdict}, ${witness}`)
      }
      const { verdict } = await saidByFirst(file, auditor.keys, [...all, ...evidence])
      if (/told as open/.test(name)) assert.equal(verdict, 'failed', name)
    }
    assert.deepEqual((await compared(written, auditor.jwks)).differences, [])
  })

  it('is no list of batches of which some are not there, nor their entries', { skip }, async () => {
    const auditor = await auditorOf()
    const lists = listsOf(auditor)
    const own = fileOf(
      lists.batches.map((each) => JSON.stringify(each)).join('\n'),
      'batches.jsonl',
    )
    const { batches, ledger, log } = lists
    const [first] = batches
    const { files, head } = lists.withLog(
      lists.with({
        batches: batches.slice(0, 1),
        anchors: ledger.filter(({ sequence }) => sequence === first?.anchorSequence),
        'review-cases': [],
        'review-events': [],
      }),
      log.slice(0, 0),
    )
    const file = fileOf(await packedAgain(files, auditor.sealer, head))
    const said = await saidByFirst(file, auditor.keys, [own])
    assert.notEqual(said.witness, 'witnessed')
    const absent = (
      await verifyFile(file, auditor.keys, { known: await readKnownFiles([own]) })
    ).findings.filter(({ detail }) => /known from before are not here/.test(detail))
    assert.equal(absent.length, 1)
    const written = [{ name: 'left out', file, known: [own] }]
    assert.deepEqual((await compared(written, auditor.jwks)).differences, [])
  })

  it('reads times in one form, whatever engines take beside it', { skip }, async () => {
    const document = sampleEvidence({ seed: 3, steps: 3 })
    const at = document.reviewCases[0]?.closedAt ?? ''
    const less = { ...document, reviewCases: document.reviewCases.slice(1) }
    const known = [held(document)]
    const plain = new Date(Date.parse(at) - 60_000).toISOString()
    const day = plain.slice(0, 10)
    for (const [generatedAt, verdict] of [
      [plain, 'verified'],
      [`${day}T00:00:00+00:00`, 'verified'],
      [`${day}T00:00:00.123456Z`, 'verified'],
      ...[`${day}T00:00Z`, `${day} 00:00:00Z`, `${day}T00:00:00+0000`, day, `${day}T24:00:00Z`],
      ...['2026-02-29T00:00:00Z', '2026-02-00T00:00:00Z', '2026-13-01T00:00:00Z'],
      ...[new Date(plain).toString(), '0000-01-01T00:00:00Z', `${day}T00:00:00+24:00`, 7],
    ].map((each) => (Array.isArray(each) ? each : [each, 'failed']))) {
      const said = await saidOf(signed({ ...less, generatedAt }), known)
      assert.equal(said.verdict, verdict, String(generatedAt))
    }
  })

  it('is all of a genuine pack that its own files cover, and no more', { skip }, async () => {
    const auditor = await auditorOf()
    const file = fileOf(auditor.pack)
    const said: string[] = []
    for (const known of await knownOf(auditor)) {
      const { verdict, witness } = await saidByFirst(file, auditor.keys, known)
      assert.equal(
        verdict,
        known.length === 1 && /audit-log/.test(known[0] ?? '') ? 'undecided' : 'verified',
        known.join(),
      )
      said.push(witness)
    }
    assert.equal(said[0], 'not_witnessed')
    assert.equal(said[1], 'witnessed')
  })

  it('needs the lines of cases that are told, and times as they are written', {
    skip,
  }, async () => {
    const auditor = await auditorOf()
    const lists = listsOf(auditor)
    const files = lists.with({ 'review-events': [] })
    const untold = fileOf(await packedAgain(files, auditor.sealer))
    const createdAt = String(lists.manifest.createdAt).replace('Z', '+00:00')
    const otherTime = fileOf(await packedAgain(lists.with({}), auditor.sealer, { createdAt }))
    const written = [
      { name: 'without lines', file: untold, known: [] },
      { name: 'another form of time', file: otherTime, known: [] },
    ]
    assert.deepEqual(await compared(written, auditor.jwks), { differences: [], accepted: [] })
  })

  it('is a known leaf where content is not there, no known tree', { skip }, async () => {
    const document = sampleEvidence({ seed: 3, steps: 3 })
    const { merkle, anchor, leafHash } = document.integrity
    assert.ok(merkle)
    const { applicationId } = document.application
    const proof = { applicationId, hashAlgorithm: 'rfc9162-sha256', revision: 1, anchor }
    const certificate = (seal: object) =>
      signed({
        ...{ certificateVersion: '1.0', certificateType: 'session-anchor' },
        ...{ organizationName: 'Ravenna', tenantId: document.tenantId },
        ...{ issuedAt: '2026-03-15T09:30:00.000Z', proof: { ...proof, ...seal } },
      })
    const own = certificate({ sessionId: document.session.sessionId, ...merkle, leafHash })
    const root = { leafIndex: 0, treeSize: 1, inclusionPath: [], leafHash: merkle.merkleRoot }
    const known = [held(document)]
    assert.equal((await saidOf(own, known)).witness, 'witnessed')
    const invented = certificate({ sessionId: 'ses_never', ...merkle, ...root })
    assert.equal((await saidOf(invented, known)).witness, 'not_witnessed')
    const second = openEvidence(document)
    Object.assign(second.session, { revision: 2 })
    Object.assign(second.integrity, { revision: 2, earlier: [] })
    Object.assign(second.integrity.leafInput ?? {}, { revision: 2 })
    const sealed = openEvidence(resealedEvidence(second, issuer) as EvidenceDocument)
    const { merkle: tree, anchor: entry } = sealed.integrity
    const { leafHash: _, ...place } = root
    const earlier = [
      {
        ...{ revision: 1, leafHash: (tree as typeof merkle).merkleRoot, anchor: entry },
        merkle: { ...(tree as typeof merkle), ...place },
      },
    ]
    Object.assign(sealed.integrity, { earlier })
    assert.equal((await saidOf(signed(sealed), [held(sealed)])).witness, 'witnessed')
    const without = { ...sealed, integrity: { ...sealed.integrity, earlier: [] } }
    assert.equal((await saidOf(signed(sealed), [held(without)])).witness, 'partly_witnessed')
  })

  it('is no later seal of a session that is told as it was before', { skip }, async () => {
    const first = sampleEvidence({ seed: 3, steps: 3 })
    const second = openEvidence(first)
    const { leafHash, merkle, anchor } = first.integrity
    const sealed = { batchId: 'bat_later', leafIndex: 0 }
    Object.assign(second.session, { revision: 2, sealed, openReviewCases: 0 })
    Object.assign(second.integrity, {
      ...{ revision: 2, earlier: [{ revision: 1, leafHash, merkle, anchor }] },
      anchor: { ...anchor, sequence: 900 },
    })
    second.reviewCases.length = 0
    Object.assign(second.integrity.leafInput ?? {}, { revision: 2 })
    const newer = resealedEvidence(second, issuer)
    assert.equal((await saidOf(first, [held(first)])).witness, 'witnessed')
    const said = await saidOf(first, [held(first), held(newer)])
    assert.deepEqual([said.verdict, said.witness], ['verified', 'partly_witnessed'])
  })

  it('is told by no time of another member, nor by none', { skip }, async () => {
    const document = sampleEvidence({ seed: 3, steps: 3 })
    const { generatedAt: _, ...timeless } = document
    const less = { ...timeless, reviewCases: document.reviewCases.slice(1) }
    assert.equal((await saidOf(signed(less), [held(document)])).verdict, 'failed')
    const unsealed = document.reviewCases.map((review) => {
      const none = { leafInput: null, leafHash: null, merkle: null, anchor: null }
      return {
        ...review,
        integrity: { ...review.integrity, ...none, leafInputStatus: 'not_sealed' },
      }
    })
    const waiting = signed({ ...timeless, reviewCases: unsealed })
    assert.equal((await saidOf(waiting, [])).verdict, 'undecided')
    const auditor = await auditorOf()
    const lists = listsOf(auditor)
    const { createdAt } = lists.manifest
    const head = { aaa: { createdAt }, createdAt: '2026-03-14T23:00:00.000Z' }
    const file = fileOf(await packedAgain(lists.with({}), auditor.sealer, head))
    const [one] = await saidBySecond([file], fileOf(JSON.stringify(auditor.jwks), 'keys.json'))
    assert.deepEqual(await saidByFirst(file, auditor.keys), one)
    assert.equal(one?.verdict, 'verified')
  })

  it('is the session’s source, whichever revision of it is known', { skip }, async () => {
    const document = sampleEvidence({ seed: 3, steps: 3 })
    const forged = openEvidence(document)
    Object.assign(forged.session, { revision: 2, origin: 'submission' })
    const { leafHash, merkle, anchor } = document.integrity
    Object.assign(forged.integrity, {
      ...{ revision: 2, earlier: [{ revision: 1, leafHash, merkle, anchor }] },
      ...{ leafSource: 'submitted', leafInput: null, leafInputStatus: 'redacted' },
    })
    const said = await saidOf(signed(forged), [held(document)])
    assert.deepEqual([said.verdict, said.open], ['failed', 'failed witness'])
  })

  it('may tell less where it is older, and no less where it is not', { skip }, async () => {
    const document = sampleEvidence({ seed: 3, steps: 3 })
    const [review] = document.reviewCases
    const closedAt = Date.parse(review?.closedAt ?? '')
    const told = (ms: number) => ({
      ...document,
      generatedAt: new Date(closedAt + ms).toISOString(),
      reviewCases: document.reviewCases.slice(1),
    })
    const known = [held(document)]
    const older = await saidOf(signed(told(59_999)), known)
    assert.deepEqual([older.verdict, older.witness], ['verified', 'partly_witnessed'])
    const newer = await saidOf(signed(told(60_000)), known)
    assert.deepEqual([newer.verdict, newer.open], ['failed', 'failed witness'])
    // A root alone tells no time, and a list of batches that of the seal.
    const batch = { applicationId: document.application.applicationId, batchId: 'bat_x' }
    const leaf = {
      ...{ leafType: 'review-case', reviewCaseId: review?.reviewCaseId },
      ...{ sessionId: document.session.sessionId, leafHash: review?.integrity.leafHash },
    }
    const ofBatch = (sealedAt: string) =>
      fileOf(`${JSON.stringify({ ...batch, sealedAt, leaves: [leaf] })}\n`, 'batches.jsonl')
    const sealedAt = new Date(closedAt + 120_000).toISOString()
    const hidden = [held(document.integrity.merkle?.merkleRoot), ofBatch(sealedAt)]
    assert.equal((await saidOf(signed(told(179_999)), hidden)).verdict, 'verified')
    assert.equal((await saidOf(signed(told(180_000)), hidden)).verdict, 'failed')
    assert.equal((await saidOf(signed(told(0)), [ofBatch('once')])).verdict, 'failed')
  })
})

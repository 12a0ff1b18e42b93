import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type EvidenceDocument, signDocument } from '@countersign/core/evidence'
import { openEvidence, sampleEvidence } from '@countersign/core/testing'
import { batchOf, leafOfSession } from './batches.ts'
import { fileOf, folder, issuer, packedAgain } from './packs.ts'
import { isMissing } from './second-process.ts'
import { compared, knownOf, saidByFirst, type Written } from './second-verifier.ts'
import { subjects } from './subjects.ts'
import type { Json } from './tamperings.ts'

const skip = isMissing()

/** A session that is told as a submission whose content is gone. */
function gone(document: EvidenceDocument, leafInputStatus: string): string {
  const forged = openEvidence(document)
  Object.assign(forged.session, { origin: 'submission', agent: null, status: 'failed' })
  Object.assign(forged.integrity, { leafSource: 'submitted', leafInput: null, leafInputStatus })
  return fileOf(
    JSON.stringify(signDocument(forged as unknown as EvidenceDocument, issuer)),
    'evidence.json',
  )
}

describe('what a leaf is of, as two verifiers see it', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('is asked where a session is told as a submission that is gone', { skip }, async () => {
    const written: Written[] = []
    const erased: Written[] = []
    for (const leaf of ['record', 'submitted'] as const)
      for (const status of ['redacted', 'erased']) {
        const document = sampleEvidence({ leaf, steps: 2 })
        const known = [fileOf(JSON.stringify(document), 'evidence.json')]
        const isErasure = leaf === 'submitted' && status === 'erased'
        const name = `${leaf}, ${status}`
        const to = isErasure ? erased : written
        to.push({ name, file: gone(document, status), known })
      }
    assert.deepEqual(await compared(written, issuer.jwk), { differences: [], accepted: [] })
    // That is what an erasure leaves.
    assert.deepEqual((await compared(erased, issuer.jwk)).differences, [])
  })

  it('is asked of each leaf in a list of batches', { skip }, async () => {
    const auditor = (await subjects()).find(({ name }) => name === 'auditor')
    assert.ok(auditor)
    const path = [...auditor.files.keys()].find((each) => each.endsWith('/batches.jsonl')) ?? ''
    const lines = Buffer.from(auditor.files.get(path) ?? '')
      .toString()
      .trimEnd()
      .split('\n')
    const batches = lines.map((line) => JSON.parse(line) as { readonly leaves: Json[] })
    const all = await knownOf(auditor)
    const written: Written[] = []
    for (const [at, { leaves }] of batches.entries())
      for (const [place, leaf] of leaves.entries())
        for (const member of ['sessionId', 'reviewCaseId']) {
          if (!(member in leaf)) continue
          const other = { ...leaf, [member]: 'another' }
          const batch = { ...batches[at], leaves: leaves.with(place, other) }
          const text = lines.with(at, JSON.stringify(batch)).join('\n')
          const files = new Map(auditor.files).set(path, Buffer.from(`${text}\n`))
          const file = fileOf(await packedAgain(files, auditor.sealer))
          for (const known of all) written.push({ name: `${at}.${place}.${member}`, file, known })
        }
    assert.ok(written.length > 0)
    assert.deepEqual(await compared(written, auditor.jwks), { differences: [], accepted: [] })
  })

  it('is told by each leaf in a list of batches', { skip }, async () => {
    const session = leafOfSession('a')
    const review = {
      ...session,
      leafType: 'review-case',
      reviewCaseId: 'rc_1',
      revision: undefined,
    }
    const sound = [session, { ...session, leafType: null }, review]
    const unsound = [
      ...['sessionId', 'revision'].map((name) => ({ ...session, [name]: undefined })),
      ...[0, 1.5, '1', null].map((revision) => ({ ...session, revision })),
      ...['reviewCaseId', 'sessionId'].map((name) => ({ ...review, [name]: undefined })),
      ...['review-casex', null, 1].map((leafType) => ({ ...review, leafType })),
      { ...session, sessionId: 1 },
      { ...session, leafType: 'session' },
      { ...session, reviewCaseId: 'rc_1' },
    ]
    for (const [leaves, isSound] of [
      [sound, true],
      [unsound, false],
    ] as const)
      for (const leaf of leaves) {
        const list = [batchOf('bat_1', [leafOfSession('b'), leaf], '2026-03-15T09:30:00.000Z')]
        const file = fileOf(`${JSON.stringify(list[0])}\n`, 'batches.jsonl')
        const written = [{ name: JSON.stringify(leaf), file, known: [] }]
        assert.deepEqual(await compared(written, issuer.jwk), { differences: [], accepted: [] })
        const { verdict } = await saidByFirst(file, new Map())
        assert.equal(verdict !== 'failed', isSound, JSON.stringify(leaf))
      }
  })

  it('is asked of the audit log, of which a batch from before has a head', { skip }, async () => {
    const auditor = (await subjects()).find(({ name }) => name === 'auditor')
    assert.ok(auditor)
    const textOf = (path: string) => Buffer.from(auditor.files.get(path) ?? '').toString()
    const batches = [...auditor.files.keys()].find((path) => path.endsWith('/batches.jsonl')) ?? ''
    const known = [fileOf(textOf(batches), 'batches.jsonl')]
    let before = ''
    const lines = textOf('audit-log.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { position, previousHash, hash, ...text } = JSON.parse(line) as Json
        before ||= String(previousHash)
        const forged = { ...text, actor: 'somebody else' }
        const own = createHash('sha256').update(before, 'hex').update(JSON.stringify(forged))
        const entry = { position, ...forged, previousHash: before, hash: own.digest('hex') }
        before = entry.hash
        return JSON.stringify(entry)
      })
    const genuine = {
      name: 'genuine',
      file: fileOf(textOf('audit-log.jsonl'), 'audit-log.jsonl'),
      known,
    }
    const forged = {
      name: 'forged',
      file: fileOf(`${lines.join('\n')}\n`, 'audit-log.jsonl'),
      known,
    }
    assert.deepEqual(await compared([genuine, forged], auditor.jwks), {
      differences: [],
      accepted: [],
    })
    const { verdict } = await saidByFirst(forged.file, auditor.keys, known)
    assert.equal(verdict, 'failed')
  })

  it('is not asked by a member of another kind of leaf', { skip }, async () => {
    const document = sampleEvidence({ steps: 2 })
    const known = [fileOf(JSON.stringify(document), 'evidence.json')]
    const { sessionId } = document.session
    const { applicationId } = document.application
    const { leafHash, merkle, anchor } = document.integrity
    const review = document.reviewCases[0]?.integrity
    const written: Written[] = []
    const put = (name: string, of: object, file: string) =>
      written.push({ name, file: fileOf(JSON.stringify(of), file), known })
    for (const revision of ['1', [1], null, 1.5])
      put(
        `revision ${JSON.stringify(revision)}`,
        { ...merkle, ...{ sessionId, applicationId, revision, leafHash, anchor } },
        'proof.json',
      )
    for (const named of [{}, { reviewCaseId: null }, { reviewCaseId: 'rc_other' }]) {
      const forged = openEvidence(document)
      const seal = { ...review, ...named, revision: 1 }
      Object.assign(forged.integrity, { revision: 2, earlier: [seal] })
      Object.assign(forged.session, { revision: 2 })
      put(
        `an earlier seal of ${JSON.stringify(named)}`,
        signDocument(forged as unknown as EvidenceDocument, issuer),
        'evidence.json',
      )
    }
    assert.deepEqual(await compared(written, issuer.jwk), { differences: [], accepted: [] })
  })

  it('has a CSV beside it that is of what it tells', { skip }, async () => {
    const sample = (await subjects()).find(({ name }) => name === 'bulk')
    assert.ok(sample)
    const path = [...sample.files.keys()].find((each) => each.endsWith('evidence.json')) ?? ''
    const written: Written[] = []
    const changes: Record<string, (of: Json) => void> = {
      'a flag as text': ({ session }) =>
        Object.assign(session as object, { incompleteAtSource: 'false' }),
      'cases without a step': ({ reviewCases }) => {
        for (const review of reviewCases as Json[]) Reflect.deleteProperty(review, 'stepId')
      },
      'results without a step': ({ policyResults }) => {
        for (const result of policyResults as Json[]) Reflect.deleteProperty(result, 'stepId')
      },
    }
    const genuine = JSON.parse(Buffer.from(sample.files.get(path) ?? '').toString()) as Json
    for (const [list, of] of Object.entries({ session: genuine.session, steps: genuine.steps }))
      for (const member of Object.keys([of].flat()[0] as Json))
        changes[`${list} without ${member}`] = (document) => {
          const [holder] = [document[list]].flat()
          Reflect.deleteProperty(holder as object, member)
        }
    for (const [name, change] of Object.entries(changes)) {
      const document = JSON.parse(Buffer.from(sample.files.get(path) ?? '').toString()) as Json
      change(document)
      const signed = signDocument(document as unknown as EvidenceDocument, sample.sealer)
      const files = new Map(sample.files).set(path, Buffer.from(JSON.stringify(signed)))
      written.push({ name, file: fileOf(await packedAgain(files, sample.sealer)), known: [] })
    }
    assert.deepEqual((await compared(written, sample.jwks)).differences, [])
  })
})

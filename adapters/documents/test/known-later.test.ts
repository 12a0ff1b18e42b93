import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { canonicalBytes, type EvidenceDocument, signDocument } from '@countersign/core/evidence'
import { leafHash } from '@countersign/core/internal'
import { openEvidence, resealedEvidence, sampleEvidence } from '@countersign/core/testing'
import { bytesToHex } from '@noble/hashes/utils.js'
import { batchOf, leafOfSession } from './batches.ts'
import { pathsOf } from './issuer-world.ts'
import { fileOf, folder, issuer, packedAgain } from './packs.ts'
import { isMissing, type Said, saidBySecond } from './second-process.ts'
import { knownOf, saidByFirst } from './second-verifier.ts'
import { renamed, signedAuditorPack, signedPack } from './signed-decisions.ts'
import { subjects } from './subjects.ts'

const skip = isMissing()
const made = skip ? Promise.resolve([]) : subjects()
const hour = 3_600_000
const iso = (ms: number) => (Number.isNaN(ms) ? 'once' : new Date(ms).toISOString())
const held = (value: unknown) => fileOf(JSON.stringify(value), 'evidence.json')
const signed = (document: object) => signDocument(document as unknown as EvidenceDocument, issuer)

const linesFile = (items: readonly object[]) =>
  fileOf(items.map((each) => `${JSON.stringify(each)}\n`).join(''), 'batches.jsonl')

async function subjectOf(kind: string) {
  const found = (await made).find(({ name }) => name === kind)
  assert.ok(found)
  return found
}

/** What both verifiers say of a file, which is the same. */
async function saidOf(file: string, known: readonly string[], kind = 'sample'): Promise<Said> {
  const { keys, jwks } = await subjectOf(kind)
  const first = await saidByFirst(file, keys, known)
  assert.deepEqual(await saidBySecond([file], fileOf(JSON.stringify(jwks), 'keys.json'), known), [
    first,
  ])
  return first
}

describe('what goes on after it was known, as two verifiers see it', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  const document = sampleEvidence({ seed: 3, steps: 3 })
  const [review] = document.reviewCases
  assert.ok(review)
  const closedAt = Date.parse(review.closedAt ?? '')
  const root = held(document.integrity.merkle?.merkleRoot)
  /** The leaf of the case as a list of batches had it, when its session went by another name. */
  const former = { ...review.integrity.leafInput, sessionId: 'session-before' }
  const ofBatch = {
    ...{ applicationId: review.applicationId, batchId: 'bat_before', sealedAt: iso(closedAt) },
    leaves: [
      {
        ...{ leafType: 'review-case', reviewCaseId: review.reviewCaseId },
        ...{ sessionId: 'session-before', leafHash: bytesToHex(leafHash(canonicalBytes(former))) },
      },
    ],
  }
  const batch = fileOf(`${JSON.stringify(ofBatch)}\n`, 'batches.jsonl')
  const none = { leafInput: null, leafHash: null, merkle: null, anchor: null }

  /** The document, made so long after the end of its case, which moved so long before that and is not sealed yet. */
  function moved(afterMs: number, beforeMs: number | null, change: object = {}): string {
    const generatedAt = closedAt + afterMs
    const at = beforeMs === null ? [] : [iso(generatedAt - beforeMs)]
    const steps = at.map((each) => {
      return { ...review?.history[0], step: 'session_moved', at: each, actor: 'system' }
    })
    const other = {
      ...{ ...review, ...change },
      history: [...(review?.history ?? []), ...steps],
      integrity: { ...review?.integrity, ...none, leafInputStatus: 'not_sealed' },
    }
    return held(
      signed({
        ...document,
        generatedAt: iso(generatedAt),
        reviewCases: [other, ...document.reviewCases.slice(1)],
      }),
    )
  }

  it('is a case that moved with its session, and waits for its seal since then', {
    skip,
  }, async () => {
    for (const [afterMs, beforeMs, verdict] of [
      [3 * hour, hour, 'verified'],
      [3 * hour, 60_000, 'verified'],
      [3 * hour, hour + 1, 'undecided'],
      [3 * hour, null, 'undecided'],
      [hour, null, 'verified'],
    ] as const)
      for (const known of [[root], [root, batch]]) {
        const said = await saidOf(moved(afterMs, beforeMs), known)
        assert.equal(said.verdict, verdict, `${afterMs}, ${beforeMs}`)
        assert.notEqual(said.witness, 'witnessed')
      }
    const timeless = moved(3 * hour, 60_000, { closedAt: 'once' })
    assert.equal((await saidOf(timeless, [root])).verdict, 'undecided')
  })

  it('is no decision that is told otherwise than a leaf of it says, under whatever session', {
    skip,
  }, async () => {
    const justNow = iso(closedAt + 3 * hour - 30_000)
    for (const change of [
      { decision: 'rejected' },
      { decidedBy: 'mem_other' },
      { closedAt: justNow },
      { state: 'expired' },
      { caseVersion: review.caseVersion + 1 },
    ]) {
      const file = moved(3 * hour, 60_000, change)
      for (const known of [[batch], [root, batch], [held(document)]]) {
        const said = await saidOf(file, known)
        assert.equal(said.verdict, 'failed')
        assert.match(said.open, /failed witness/)
      }
    }
  })

  it('is a name that the session of a signed decision got after it, and none from before', {
    skip,
  }, async () => {
    for (const [isLater, verdict] of [
      [true, 'verified'],
      [false, 'failed'],
    ] as const)
      for (const packed of [signedPack, signedAuditorPack]) {
        const file = fileOf(await packed(renamed(isLater)))
        assert.equal((await saidOf(file, [])).verdict, verdict)
      }
  })

  it('is another session by the id of one that was removed for its age', { skip }, async () => {
    const sealedAt = Date.parse(document.integrity.anchor?.anchoredAt ?? '')
    const again = (startedAt: number, origin = 'later') => {
      const other = openEvidence(sampleEvidence({ seed: 3, steps: 4, startedAt }))
      Object.assign(other.session, { sealed: { batchId: `bat_${origin}`, leafIndex: 0 } })
      Object.assign(other.integrity.anchor, { sequence: 900 })
      other.reviewCases.length = 0
      Object.assign(other.session, { openReviewCases: 0 })
      return resealedEvidence(other, issuer) as EvidenceDocument
    }
    const week = 7 * 24 * hour
    // The case of the one before ended after that was sealed.
    const later = again(closedAt + week)
    const own = held(later.integrity.merkle?.merkleRoot)
    for (const known of [
      [held(document), own],
      [held(document), held(later)],
      [held(later), held(document)],
    ]) {
      const said = await saidOf(held(later), known)
      assert.equal(said.verdict, 'verified')
    }
    const earlier = again(closedAt + week - 1)
    assert.equal((await saidOf(held(earlier), [held(document)])).verdict, 'failed')
    const alone = held({ ...document, reviewCases: [] })
    for (const [startedAt, isAnother] of [
      [sealedAt + week, true],
      [sealedAt + week - 1, false],
    ] as const) {
      const { verdict } = await saidOf(held(again(startedAt)), [alone])
      assert.equal(verdict !== 'failed', isAnother)
    }
    // Its own leaf is known, and nothing that is gone says when it began.
    for (const leafInputStatus of ['redacted', 'erased']) {
      const gone = openEvidence(document)
      const startedAt = iso(closedAt + week)
      Object.assign(gone.session, { origin: 'submission', startedAt, endedAt: startedAt })
      Object.assign(gone.integrity, { leafSource: 'submitted', leafInput: null, leafInputStatus })
      const said = await saidOf(held(signed(gone)), [held(document)])
      assert.match(said.open, /failed witness/)
    }
    const timeless = held(signed({ ...later, session: { ...later.session, startedAt: 'once' } }))
    assert.equal((await saidOf(timeless, [held(document)])).verdict, 'failed')
  })

  it('is a session before another of its id, where a list of batches has both', {
    skip,
  }, async () => {
    const again = (batchId: string, digit: string, sealedAt: number) =>
      batchOf(batchId, [leafOfSession(digit)], iso(sealedAt))
    const week = 7 * 24 * hour
    const later = again('bat_later', 'b', closedAt + week)
    const known = [linesFile([later])]
    for (const [lists, isSound] of [
      [[again('bat_first', 'a', closedAt), later], true],
      [[later, again('bat_first', 'a', closedAt)], true],
      [[again('bat_first', 'a', closedAt)], false],
      [[again('bat_first', 'a', closedAt + 1), later], false],
      [[again('bat_first', 'a', Number.NaN), later], false],
    ] as const) {
      const { open } = await saidOf(linesFile(lists), known)
      assert.equal(/failed witness/.test(open), !isSound, JSON.stringify(lists))
    }
  })

  it('is no list that is said to be left out', { skip }, async () => {
    const auditor = await subjectOf('auditor')
    const [, all = []] = await knownOf(auditor)
    const paths = pathsOf(auditor.files)
    for (const names of [
      ['batches'],
      ['batches', 'ledger'],
      ['cases', 'events'],
      ['events'],
      ['sessions'],
      ['authenticators'],
    ]) {
      const left = names.map((name) => paths[name] ?? '')
      const files = new Map(auditor.files)
      for (const path of left) files.delete(path)
      const pack = await packedAgain(files, auditor.sealer, {}, left)
      const said = await saidOf(fileOf(pack), all, 'auditor')
      assert.notEqual(said.verdict, 'failed', names.join())
      assert.notEqual(said.witness, 'witnessed', names.join())
    }
  })

  it('is no entry of a ledger that has the name of the audit log', { skip }, async () => {
    const auditor = await subjectOf('auditor')
    const [line = ''] = Buffer.from(auditor.files.get('anchors.jsonl') ?? '')
      .toString()
      .split('\n')
    const entry = { ...(JSON.parse(line) as object), ledger: 'audit-log' }
    const known = [fileOf(JSON.stringify(entry), 'anchors.json')]
    const log = fileOf(auditor.files.get('audit-log.jsonl') ?? '', 'audit-log.jsonl')
    assert.doesNotMatch((await saidOf(log, known, 'auditor')).open, /failed/)
  })
})

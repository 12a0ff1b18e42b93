import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  canonicalBytes,
  type EvidenceDocument,
  type EvidenceKeys,
  type EvidenceSigner,
  readEvidenceKeys,
  signDocument,
  verdictOf,
  verifyDocument,
} from '@countersign/core/evidence'
import {
  type SampleEvidence,
  sampleEvidence,
  sampleEvidenceKey,
  seededRandom,
} from '@countersign/core/testing'
import { sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { namedInVain, security, unnamed } from './named-beside-leaves.ts'
import { scalarsOf, tampered } from './tampering.ts'

const { keyId, jwk } = sampleEvidenceKey(new Uint8Array(32).fill(7))
const published = readEvidenceKeys(jwk) as EvidenceKeys
const genuine = published.get(keyId)
const judged = new Map<string, boolean>()
/** Signs quickly, as the issuer: a hash stands for the signature. */
const signer: EvidenceSigner = { keyId, sign: (_, bytes) => sha512(bytes) }
/** Takes the issuer's signatures, each judged once, and the quick ones. */
const keys: EvidenceKeys = new Map([
  [
    keyId,
    (prefix, bytes, signature) => {
      if (bytesToHex(sha512(bytes)) === bytesToHex(signature)) return true
      const name = bytesToHex(sha512(bytes)) + bytesToHex(signature)
      const found = judged.get(name) ?? genuine?.(prefix, bytes, signature) === true
      judged.set(name, found)
      return found
    },
  ],
])
const verdict = (document: object) => verdictOf(verifyDocument(document, keys))

type Path = readonly (string | number)[]

/** A place in a document without its positions, such as `steps.name`. */
function memberOf(path: Path): string {
  return path.filter((name) => typeof name === 'string').join('.')
}

/**
 * What an issuer can write anew after the seal and sign again, in documents of every kind: what no leaf holds.
 * `SECURITY.md` of the reference server tells it.
 */
const beside = [
  ...['generatedAt', 'asOf', 'organizationName', 'application.name', 'application.stage'],
  ...['session.metadata', 'session.qualityScore', 'session.openFlags', 'session.openReviewCases'],
  ...['session.reviewState', 'session.payloadStatus', 'session.receivedAt', 'session.completedAt'],
  ...['session.removeAfter', 'session.dataSubjectId', 'session.incompleteAtSource'],
  ...['steps.truncated', 'steps.redactions', 'steps.payloadStatus'],
  ...['erasure.payloadsUnreadable', 'erasure.erasedSubjects', 'integrity.anchor.status'],
  // The path's shape binds it to a power of two alone.
  'integrity.merkle.treeSize',
]
/** Of a service's record also these. */
const besideRecord = ['steps.dataSubjectId', 'steps.checkpointId']
/** Of a submission also these: nonces of contents that the leaf itself holds, and what the service's rules found. */
const besideSubmission = ['tenantId', 'steps.payload.nonces']
const peoples = ['sessionReviews', 'annotations', 'flags']
/** Of a review case; its record holds what it was asked, shown and decided. */
const besideCases = [
  ...['schemaVersion', 'stepId', 'eventSequence', 'reviewTier', 'dueAt', 'expiresAt', 'overdueAt'],
  ...['cancellationReason', 'caseUrl', 'assignment', 'updatedAt', 'reviewer', 'requestedBy'],
  ...['callback', 'continuation', 'history', 'integrity.merkle.batchId'],
  'integrity.anchor.status',
].map((member) => `reviewCases.${member}`)

const kinds: readonly (readonly [string, SampleEvidence, readonly string[]])[] = [
  ['a service’s record', {}, besideRecord],
  ['a record of erased content', { erased: true }, besideRecord],
  ['a submission', { leaf: 'submitted' }, [...besideSubmission, 'policyResults']],
  ['a submission without cases', { leaf: 'submitted', steps: 1 }, besideSubmission],
]

function isBeside(member: string, more: readonly string[]): boolean {
  return [...beside, ...more, ...peoples, ...besideCases].some(
    (each) => member === each || member.startsWith(`${each}.`),
  )
}

describe('what a leaf holds', () => {
  const unseen = new Set<string>()
  for (const [name, kind, more] of kinds)
    it(`is compared in every member of a document of ${name} that its issuer signs anew`, () => {
      const document = sampleEvidence({ seed: 3, steps: 5, ...kind })
      assert.equal(verdict(document), 'verified')
      const random = seededRandom(1)
      const places = new Map<string, Path[]>()
      for (const place of scalarsOf(document))
        if (place[0] !== 'signatures')
          places.set(memberOf(place), [...(places.get(memberOf(place)) ?? []), place])
      const found = new Map<string, boolean>()
      for (const [member, all] of places)
        found.set(
          member,
          // The first and the last of its places.
          [all[0], all.at(-1)].every((place = []) => {
            const forged = signDocument(tampered(document, place, random), signer)
            return verdict(forged) !== 'verified'
          }),
        )
      const missed = [...found].flatMap(([member, isFound]) => (isFound ? [] : member))
      assert.deepEqual(
        missed.filter((member) => !isBeside(member, more)),
        [],
      )
      for (const member of missed) unseen.add(member)
      process.stdout.write(`# ${name}: ${found.size} members, ${missed.length} in no leaf\n`)
    })

  it('is listed beside where it is in no leaf, and nothing is listed in vain', () => {
    const listed = [...beside, ...besideRecord, ...besideSubmission, ...peoples, ...besideCases]
    const inVain = listed.filter(
      (each) => ![...unseen].some((member) => `${member}.`.startsWith(`${each}.`)),
    )
    assert.deepEqual(inVain, [])
  })

  it('is in SECURITY.md where it is in no leaf, all of it and nothing else', () => {
    const listed = [...beside, ...besideRecord, ...besideSubmission, ...peoples, ...besideCases]
    assert.deepEqual(unnamed(security, listed), [])
    assert.deepEqual(namedInVain(security, unseen), [])
    assert.deepEqual(unnamed(security.replace('`dueAt`', ''), listed), ['reviewCases.dueAt'])
    const more = security.replace('`dueAt`', '`dueAt`, `decidedBy`')
    assert.deepEqual(namedInVain(more, unseen), ['Of review cases: decidedBy'])
  })

  it('is missed by a verifier that looks past the leaves of cases', () => {
    const document = sampleEvidence({ seed: 3, steps: 5 })
    const decision = 'response_submitted' as const
    const reviewCases = document.reviewCases.map((each) => ({ ...each, decision }))
    const found = verifyDocument(signDocument({ ...document, reviewCases }, signer), keys)
    assert.equal(verdictOf(found), 'failed')
    const past = found.filter(({ about }) => !about.startsWith('review case'))
    assert.equal(verdictOf(past), 'verified')
  })

  it('is compared where members are added, left out, doubled or put in another order', () => {
    const rewrites: Readonly<Record<string, (document: EvidenceDocument) => object>> = {
      'a step less': ({ steps }) => ({ steps: steps.slice(1) }),
      'a step twice': ({ steps }) => ({ steps: [...steps, steps[0]] }),
      'steps in another order': ({ steps }) => ({ steps: steps.toReversed() }),
      'a score less': () => ({ scores: [] }),
      'a score more': ({ scores }) => ({
        scores: [...scores, { name: 'toxicity', value: 0, label: null, stepId: null }],
      }),
      'an application’s policy result more': ({ policyResults, steps }) => ({
        policyResults: [
          ...policyResults,
          {
            ...{ ruleId: 'own', ruleVersion: null, ruleName: 'own', effect: 'allow' },
            ...{ severity: 'warning', source: 'application', stepId: steps[0]?.stepId },
            ...{ matchedAt: steps[0]?.startedAt, reviewCaseId: null },
          },
        ],
      }),
      'another agent': ({ session }) => ({ session: { ...session, agent: null } }),
      'a model more': ({ session }) => ({
        session: { ...session, models: ['aurora-4-large', 'x'] },
      }),
      'content that was added': ({ steps }) => ({
        steps: steps.map((step) => ({
          ...step,
          payload: step.payload && { ...step.payload, attributes: { added: true } },
        })),
      }),
      'a record that is said to be redacted': ({ integrity }) => ({
        integrity: {
          ...integrity,
          ...{ leafInput: null, leafInputStatus: 'redacted', leafSource: 'record' },
        },
      }),
      'a record that is said to be erased': ({ integrity }) => ({
        integrity: {
          ...integrity,
          ...{ leafInput: null, leafInputStatus: 'erased', leafSource: 'record' },
        },
      }),
      'a seal that is said not to be there': ({ integrity }) => ({
        integrity: { ...integrity, leafInput: null, leafInputStatus: 'not_sealed' },
      }),
      'a revision that the seal is not of': ({ session }) => ({
        session: { ...session, revision: 2 },
      }),
      'a case twice': ({ reviewCases }) => ({ reviewCases: [...reviewCases, ...reviewCases] }),
      'another decision': ({ reviewCases }) => ({
        reviewCases: reviewCases.map((each) => ({ ...each, decision: 'response_submitted' })),
      }),
      'a case that is said to be open': ({ reviewCases }) => ({
        reviewCases: reviewCases.map((each) => ({ ...each, state: 'open' })),
      }),
      'another decision and record': ({ reviewCases }) => ({
        reviewCases: reviewCases.map((each) => ({
          ...each,
          decision: 'response_submitted',
          integrity: {
            ...each.integrity,
            leafInput: { ...each.integrity.leafInput, decision: 'response_submitted' },
          },
        })),
      }),
      'a member of a record more': ({ reviewCases }) => ({
        reviewCases: reviewCases.map((each) => ({
          ...each,
          integrity: { ...each.integrity, leafInput: { ...each.integrity.leafInput, more: 1 } },
        })),
      }),
      'another presentation': ({ reviewCases }) => ({
        reviewCases: reviewCases.map((each) => ({ ...each, presentation: { title: 'harmless' } })),
      }),
      'a presentation that is said to be erased': ({ reviewCases }) => ({
        reviewCases: reviewCases.map((each) => ({
          ...each,
          presentation: null,
          reviewerComment: 'another',
        })),
      }),
      'a question that was never shown': ({ reviewCases }) => ({
        reviewCases: reviewCases.map((each) => ({
          ...each,
          followUps: [
            { question: 'Who asked?', answer: 'Nobody', askedAt: null, answeredAt: null },
          ],
        })),
      }),
      'a reviewer who was another': ({ reviewCases }) => ({
        reviewCases: reviewCases.map((each) => ({ ...each, decidedBy: 'mem_3' })),
      }),
      'the leaf of another case': ({ reviewCases }) => ({
        reviewCases: reviewCases.map((each, at) => ({
          ...each,
          integrity: reviewCases.at(at - 1)?.integrity,
        })),
      }),
      'another hash': ({ integrity }) => ({ integrity: { ...integrity, hashAlgorithm: 'sha1' } }),
    }
    for (const [, kind] of kinds)
      for (const [name, rewrite] of Object.entries(rewrites)) {
        const document = sampleEvidence({ seed: 3, steps: 5, ...kind })
        const forged = { ...document, ...rewrite(document) }
        const same = canonicalBytes(forged).length === canonicalBytes(document).length
        if (same && JSON.stringify(forged) === JSON.stringify(document)) continue
        assert.equal(verdict(signDocument(forged, signer)), 'failed', name)
      }
  })
})

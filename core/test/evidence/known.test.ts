import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  canonicalBytes,
  type EvidenceKeys,
  type EvidenceSigner,
  payloadDigestOf,
  readKnownEvidence,
  verifyDocument,
  witnessOf,
} from '@countersign/core/evidence'
import {
  type OpenEvidence,
  openEvidence,
  resealedEvidence,
  sampleAnchor,
  sampleEvidence,
  seededRandom,
} from '@countersign/core/testing'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { bareHashes, held, judge, signer } from './held.ts'
import { scalarsOf, tampered } from './tampering.ts'

type Json = Record<string, unknown>

const payloadDigestOfAny = (value: unknown) => bytesToHex(sha256(canonicalBytes(value as object)))

/** Changes of a review case as it is told, and of its record. */
function bothOfCase(change: (of: Json) => void) {
  return ({ reviewCases: [review] }: OpenEvidence): void => {
    if (!review) return
    change(review)
    const { leafInput } = review.integrity
    for (const member of Object.keys(leafInput))
      if (member in review && member !== 'integrity') leafInput[member] = review[member]
  }
}

/** Changes of a session as it is told, and of what is sealed of it. */
function both(
  change: (of: Json) => void,
  pick: (of: OpenEvidence) => Json,
  pickSealed: (of: Json) => Json,
) {
  return (forged: OpenEvidence): void => {
    change(pick(forged))
    change(pickSealed(forged.integrity.leafInput ?? {}))
  }
}

const stepAt = (at: number) => (of: unknown) => (of as OpenEvidence).steps[at] as Json
const step = (at: number, change: (of: Json) => void) => both(change, stepAt(at), stepAt(at))
const set = (member: string, value: unknown) => (of: Json) => {
  of[member] = value
}

/** What an issuer may want to have been otherwise. */
const rewrites: Readonly<Record<string, (forged: OpenEvidence) => void>> = {
  'a name': step(1, set('name', 'another')),
  'a start': step(1, set('startedAt', '2026-03-14T09:30:01.701Z')),
  'an end': step(1, set('endedAt', '2026-03-14T09:30:04.000Z')),
  'a parent': step(1, set('parentStepId', null)),
  'a type': step(1, set('type', 'other')),
  'a tool': step(2, set('toolName', 'payments.read')),
  'a score': (forged) => {
    for (const of of [forged, forged.integrity.leafInput as unknown as OpenEvidence])
      (of.scores[0] as Json).value = 0.99
  },
  'an agent': both(
    set('agent', { name: 'another', version: null }),
    ({ session }) => session,
    (input) => input,
  ),
  'a status of the session': both(
    set('status', 'failed'),
    ({ session }) => session,
    (input) => input,
  ),
  'an output': (forged) => {
    const { payload } = forged.steps[1] as { readonly payload: Json }
    payload.output = 'another'
    const sealed = stepAt(1)(forged.integrity.leafInput)
    if (!('payloads' in sealed)) return set('output', 'another')(sealed)
    const { nonces } = payload as { readonly nonces: Readonly<Record<string, string>> }
    for (const each of sealed.payloads as Json[])
      if (each.field === 'output')
        Object.assign(each, payloadDigestOf(nonces.output ?? '', payload.output))
  },
  'a decision': bothOfCase(set('decision', 'response_submitted')),
  'the end of a case': bothOfCase((review) => {
    review.closedAt = '2026-03-14T09:46:00.001Z'
    for (const each of review.history as Json[])
      if (each.step === 'decided') each.at = review.closedAt
  }),
  'a reviewer': bothOfCase((review) => {
    review.decidedBy = 'mem_3'
    Object.assign(review.assignment as Json, { reviewerId: 'mem_3' })
    for (const each of review.history as Json[])
      if (each.step === 'decided') each.actor = 'member:mem_3'
  }),
  'what a reviewer was shown': bothOfCase((review) => {
    review.presentation = { title: 'harmless' }
    review.presentationDigest = payloadDigestOfAny(review.presentation)
  }),
  'a comment': bothOfCase((review) => {
    const { comment: nonce } = review.nonces as { readonly comment: string }
    review.reviewerComment = 'another'
    review.commentDigest = payloadDigestOf(nonce, 'another').digest
  }),
  'the order of two steps': (forged) => {
    for (const of of [forged, forged.integrity.leafInput as unknown as OpenEvidence]) {
      const [first, second] = of.steps.map(({ stepId }) => stepId)
      Object.assign(of.steps[0] as Json, { stepId: second })
      Object.assign(of.steps[1] as Json, { stepId: first })
    }
    Object.assign(forged.scores[0] as Json, { stepId: null })
  },
}

describe('what is known from before', () => {
  for (const leaf of ['record', 'submitted'] as const) {
    const document = sampleEvidence({ seed: 3, steps: 5, leaf })
    for (const [name, of] of Object.entries(held)) {
      const known = readKnownEvidence([JSON.parse(JSON.stringify(of(document)))])
      it(`${name}, witnesses a session (${leaf}) and finds it written anew`, () => {
        assert.ok(known)
        const genuine = judge(document, known)
        assert.deepEqual(
          [genuine.verdict, genuine.witness],
          ['verified', 'witnessed'],
          JSON.stringify(genuine.findings),
        )
        for (const [what, rewrite] of Object.entries(rewrites)) {
          const forged = openEvidence(document)
          rewrite(forged)
          const forgery = resealedEvidence(forged, signer)
          const alone = judge(forgery, null)
          const failures = alone.findings.filter(({ result }) => result === 'failed')
          assert.deepEqual(failures, [], `${what}: the test's own forgery contradicts itself`)
          assert.deepEqual([alone.verdict, alone.witness], ['verified', 'not_witnessed'], what)
          const found = judge(forgery, known)
          assert.notEqual(found.verdict, 'verified', what)
          assert.equal(found.witness, 'not_witnessed', what)
          // A bare hash says which sessions it covers only where it covers them.
          assert.equal(found.verdict, bareHashes.has(name) ? 'undecided' : 'failed', what)
        }
      })
    }
  }

  it('finds each member of each leaf rewritten and sealed anew, whichever is held', () => {
    // A hash stands for the signature, which the issuer has anyway.
    const quick: EvidenceSigner = { keyId: signer.keyId, sign: (_, bytes) => sha512(bytes) }
    const all: EvidenceKeys = new Map([[signer.keyId, () => true]])
    const missed: string[] = []
    let tried = 0
    for (const leaf of ['record', 'submitted'] as const) {
      const document = sampleEvidence({ seed: 3, steps: 3, leaf })
      const leavesOf = ({ integrity, reviewCases: [review] }: OpenEvidence) => [
        integrity,
        ...(review ? [review.integrity] : []),
      ]
      const kinds = Object.entries(held).map(([name, of]) => {
        return [name, readKnownEvidence([JSON.parse(JSON.stringify(of(document)))])] as const
      })
      for (const [at, { leafInput }] of leavesOf(openEvidence(document)).entries())
        for (const place of scalarsOf(leafInput)) {
          const forged = openEvidence(document)
          const of = leavesOf(forged)[at]
          Object.assign(of ?? {}, { leafInput: tampered(leafInput, place, seededRandom(1)) })
          const forgery = resealedEvidence(forged, quick)
          for (const [name, known] of kinds) {
            tried++
            const found = verifyDocument(forgery, all, { known })
            // A bare hash says which leaf it covers only where it covers one.
            const expected = bareHashes.has(name) ? 'unchecked' : 'failed'
            const isFound = found.some(
              ({ check, result }) => check === 'witness' && result === expected,
            )
            if (!isFound || witnessOf(found) !== 'not_witnessed')
              missed.push(`${leaf}, ${at}, ${place.join('.')}, ${name}`)
          }
        }
    }
    assert.deepEqual(missed, [])
    process.stdout.write(`# ${tried} pairs of a member of a leaf and what is held: 0 missed\n`)
  })

  it('finds a seal left out, and says of a session without one that nothing covers it', () => {
    const document = sampleEvidence({ seed: 3 })
    const known = readKnownEvidence([document])
    const unsealed = sampleEvidence({ seed: 3, leaf: null })
    assert.equal(judge(unsealed, known).verdict, 'failed')
    const another = sampleEvidence({ seed: 4, leaf: null })
    assert.equal(judge(another, known).verdict, 'undecided')
    assert.equal(judge(another, null).verdict, 'verified')
  })

  it('compares ledgers entry by entry, and says up to where they are known', () => {
    const sealed = { root: '01'.repeat(32), nonce: '02'.repeat(32) }
    const ledgerOf = (nonces: readonly string[]) => {
      const entries: ReturnType<typeof sampleAnchor>[] = []
      for (const nonce of nonces) {
        const previousHash = entries.at(-1)?.entryHash ?? '00'.repeat(32)
        const sequence = entries.length + 1
        const root = sealed.root
        entries.push({
          ...sampleAnchor(signer, { root, nonce, sequence, previousHash }),
          nonce: null,
        })
      }
      return entries
    }
    const [a, b, c, d] = ['0a', '0b', '0c', '0d'].map((byte) => byte.repeat(32)) as [
      ...[string, string, string, string],
    ]
    const ledger = ledgerOf([a, b, c])
    const rewritten = ledgerOf([a, d, c])
    for (const known of [
      ledger.slice(1, 2),
      [ledger[1]?.entryHash],
      [{ anchors: ledger.slice(0, 2) }],
    ]) {
      const { verdict, witness, findings } = judge(ledger, readKnownEvidence(known))
      assert.deepEqual([verdict, witness], ['verified', 'partly_witnessed'])
      const told = findings.filter(({ check }) => check === 'witness').map(({ detail }) => detail)
      assert.match(told.join('\n'), /up to 2 are[\s\S]*1 entries after that/)
      assert.notEqual(judge(rewritten, readKnownEvidence(known)).verdict, 'verified')
    }
    assert.equal(judge(ledger, readKnownEvidence(ledger)).witness, 'witnessed')
    assert.equal(judge(rewritten, readKnownEvidence(ledger)).verdict, 'failed')
    assert.equal(judge(rewritten, null).verdict, 'verified')
  })

  it('is read from documents, lists and hashes, and from nothing else', () => {
    assert.ok(readKnownEvidence(['ab'.repeat(32)]))
    for (const value of [null, 1, 'ab', {}, [], { anchors: [1] }])
      assert.equal(readKnownEvidence([value]), null, JSON.stringify(value))
    assert.equal(readKnownEvidence([]), null)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  checkBatches,
  type EvidenceDocument,
  readKnownEvidence,
  signDocument,
} from '@countersign/core/evidence'
import { openEvidence, sampleEvidence } from '@countersign/core/testing'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { merkleTree } from '../../base/merkle/tree.ts'
import { commitmentOf } from '../../proof/commitment.ts'
import { held, judge, proofOf, signer } from './held.ts'

describe('what a leaf that is known from before is of', () => {
  it('finds a session that is told as a submission which is gone, and never witnesses such a one', () => {
    const erased = sampleEvidence({ seed: 3, leaf: 'submitted', erased: true })
    for (const leaf of ['record', 'submitted'] as const)
      for (const leafInputStatus of ['redacted', 'erased']) {
        const document = sampleEvidence({ seed: 3, steps: 3, leaf })
        const forged = openEvidence(document)
        Object.assign(forged.session, { origin: 'submission', agent: null })
        Object.assign(forged.integrity, {
          leafSource: 'submitted',
          leafInput: null,
          leafInputStatus,
        })
        const forgery = signDocument(forged as unknown as EvidenceDocument, signer)
        const isErasure = leaf === 'submitted' && leafInputStatus === 'erased'
        for (const [name, of] of Object.entries(held)) {
          const known = readKnownEvidence([JSON.parse(JSON.stringify(of(document)))])
          const { verdict, witness } = judge(forgery, known)
          assert.notEqual(witness, 'witnessed', `${leaf}, ${leafInputStatus}, ${name}`)
          const isTold = name === 'the document' && !isErasure
          assert.equal(verdict, isTold ? 'failed' : 'verified', `${leafInputStatus}, ${name}`)
        }
      }
    const { verdict, witness } = judge(erased, readKnownEvidence([erased]))
    assert.deepEqual([verdict, witness], ['verified', 'partly_witnessed'])
  })

  it('finds a leaf that is shown as that of something else, in evidence and in batches', () => {
    const document = sampleEvidence({ seed: 3, steps: 3 })
    const { integrity, session, application, tenantId } = document
    const [review] = document.reviewCases
    const known = readKnownEvidence([document])
    const { applicationId } = application
    const { sessionId } = session
    const leaves = [
      { sessionId, revision: 1, leafHash: integrity.leafHash },
      {
        ...{ leafType: 'review-case', sessionId, reviewCaseId: review?.reviewCaseId },
        leafHash: review?.integrity.leafHash,
      },
    ]
    const judged = (labels: readonly object[]) => {
      const root = merkleTree(labels.map((_, at) => hexToBytes(leaves[at]?.leafHash ?? ''))).root
      const nonce = '07'.repeat(32)
      const batch = {
        ...{ tenantId, applicationId, batchId: 'bat_other', treeSize: 2, nonce },
        merkleRoot: bytesToHex(root),
        commitment: commitmentOf(root, hexToBytes(nonce)),
        leaves: labels,
      }
      const check = checkBatches(known)
      check.add(batch)
      check.end()
      return check.findings.filter(({ result }) => result === 'failed').map(({ check: of }) => of)
    }
    assert.deepEqual(judged(leaves), [])
    for (const at of [0, 1])
      for (const [member, value] of [
        ['sessionId', 'ses_other'],
        ['leafHash', '09'.repeat(32)],
        ...(at === 1 ? [['reviewCaseId', 'rc_other'] as const] : []),
      ] as const) {
        const labels = leaves.with(at, { ...leaves[at], [member]: value } as never)
        const found = judged(labels)
        assert.ok(found.length > 0, `${at} ${member}`)
        if (member !== 'leafHash') assert.deepEqual(found, ['witness'], `${at} ${member}`)
      }
    const forgery = {
      ...proofOf(document),
      sessionId: 'ses_other',
      hashAlgorithm: 'rfc9162-sha256',
    }
    const { findings } = judge(forgery, known)
    assert.ok(findings.some(({ check, result }) => check === 'witness' && result === 'failed'))
  })

  it('takes the same submission in another application for what it is, and no more of a gone one', () => {
    const document = sampleEvidence({ seed: 3, steps: 3, leaf: 'submitted' })
    const other = openEvidence(document) as unknown as EvidenceDocument
    const { applicationId } = { applicationId: 'app_staging' }
    Object.assign(other.application, { applicationId })
    Object.assign(other.session, { applicationId })
    Object.assign(other, { reviewCases: [], policyResults: [] })
    const moved = signDocument(other, signer)
    for (const values of [[document], [moved, document], [document, moved]]) {
      const known = readKnownEvidence(values)
      const { verdict, findings } = judge(moved, known)
      const failures = findings.filter(({ result }) => result === 'failed')
      assert.deepEqual([verdict, failures], ['verified', []])
    }
    // A later revision that nothing covers is not saved by being gone.
    const later = openEvidence(
      sampleEvidence({ seed: 4, steps: 3, leaf: 'submitted', erased: true }),
    )
    const { verdict } = judge(later, readKnownEvidence([document]))
    assert.equal(verdict, 'undecided')
  })

  it('finds a leaf whose revision or owner is told in another form', () => {
    const document = sampleEvidence({ seed: 3, steps: 3 })
    const known = readKnownEvidence([document])
    const genuine = { hashAlgorithm: 'rfc9162-sha256', ...proofOf(document) }
    assert.equal(judge(genuine, known).witness, 'witnessed')
    for (const revision of ['1', [1], null, 0, 1.5])
      assert.equal(judge({ ...genuine, revision }, known).verdict, 'failed')
  })
})

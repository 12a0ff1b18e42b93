import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { type EvidenceCase, readReviewerKeys, verifyDocument } from '@countersign/core/evidence'
import { faultOfOutcome, verifySignedBytes } from '@countersign/core/webauthn'
import { fileIn, takenWhole } from './packs.ts'
import { origin, presentation, rpId, signed } from './signed-world.ts'

describe('a signed decision in evidence', () => {
  it('is sealed, and verifies in the document and in packs by the keys that they have', async () => {
    const world = await signed()
    const { service, actor, applicationId, application, reviewCaseId } = world
    const evidence = unwrap(await service.evidence.read(actor, { sessionId: 'ses_1' }))
    const [review] = evidence.reviewCases
    assert.ok(review?.decisionSignature)
    assert.deepEqual(review.integrity.leafInput?.decisionSignature, review.decisionSignature)
    const keys = await world.keys()
    const told = verifyDocument(evidence, keys).filter(({ check }) => check === 'decision')
    assert.match(told[0]?.detail ?? '', /^Signed by the reviewer .*, whose key came with it\.$/)
    for (const packed of [
      service.evidencePackages.exportAuditor(actor, { applicationIds: [applicationId] }),
      service.evidencePackages.exportBulk(actor, { applicationIds: [applicationId] }),
    ]) {
      const { bytes } = await takenWhole(packed)
      const reviewers = readReviewerKeys(JSON.parse(fileIn(bytes, 'authenticators.json')))
      assert.deepEqual([reviewers.findings, reviewers.keys.size], [[], 1])
      assert.equal(reviewers.entries.size, 1)
      const found = verifyDocument(evidence, keys, { reviewers })
      const decision = found.filter(({ check }) => check === 'decision')
      assert.deepEqual(
        decision.map(({ result }) => result),
        ['verified'],
      )
    }
    const { bytes } = await takenWhole(
      service.evidencePackages.exportAuditor(actor, { applicationIds: [applicationId] }),
    )
    const folder = `applications/${applicationId}`
    const line = JSON.parse(fileIn(bytes, `${folder}/review-cases.jsonl`).trim()) as EvidenceCase
    assert.deepEqual(line.decisionSignature, review.decisionSignature)
    const shown = unwrap(await service.reviewCases.read(application, { reviewCaseId }))
    const { keys: pinned } = unwrap(await service.reviewerKeys.list(application, {}))
    const { resumeToken = null } = shown.checkpoint
    const outcome = { ...shown, ...shown.checkpoint, resumeToken, decision: 'approved' as const }
    const fault = await faultOfOutcome(
      outcome,
      { ...outcome, presentation },
      { receivedAt: Date.parse(review.decisionSignature.statement.issuedAt) },
      { rpId, origins: [origin], keys: pinned.map((key) => ({ ...key })) },
      verifySignedBytes,
    )
    assert.equal(fault, null)
    await service.close()
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { unwrap } from '@countersign/core'
import { type EvidenceCase, readReviewerKeys, verifyDocument } from '@countersign/core/evidence'
import { challengeOf, faultOfOutcome, verifySignedBytes } from '@countersign/core/webauthn'
import { fileIn, takenWhole } from './packs.ts'
import { evidenceWorld } from './world.ts'

const password = 'correct horse battery'
const rpId = 'ingest.example'
const origin = `https://${rpId}`
const presentation = { title: 'Pay invoice 17', amount: '1200.00' }

/** A session whose case was approved by the reviewer's own signature, sealed, with the application's view of it. */
async function signed() {
  const world = await evidenceWorld()
  await world.stored({})
  const { service, actor, tenantId, applicationId, clock } = world
  const { keyId } = unwrap(
    await service.applicationKeys.create(actor, { applicationId, label: 'app' }),
  )
  const application = { kind: 'application', tenantId, applicationId, keyId } as const
  const authenticator = createSoftwareAuthenticator({ algorithm: 'ES256', rpId, origin })
  const use = 'signing'
  const { options } = unwrap(
    await service.authenticators.startRegistration(actor, {
      ...{ use, password, address: '192.0.2.1' },
    }),
  )
  const { id, response } = authenticator.register(options as { readonly challenge: string })
  const credential = { id, response }
  unwrap(await service.authenticators.enrol(actor, { name: 'Key', use, credential }))
  const { reviewCaseId } = unwrap(
    await service.reviewCases.open(application, {
      ...{ sessionId: 'ses_1', checkpointId: 'pay', idempotencyKey: 'pay', presentation },
      ...{ reasonCategory: 'high_risk_action', resumeToken: 'a token to go on' },
    }),
  )
  const seen = unwrap(await service.reviewCases.claim(actor, { reviewCaseId }))
  const choice = {
    ...{ reviewCaseId, caseVersion: seen.caseVersion, comment: 'Invoice and order agree.' },
    ...{ presentationDigest: seen.presentationDigest ?? '', decision: 'approved' as const },
  }
  const { statement, nonces } = unwrap(await service.reviewCases.stateDecision(actor, choice))
  const made = authenticator.assert({ challenge: challengeOf(statement) })
  const signature = { statement, nonces, ...made }
  unwrap(await service.reviewCases.decide(actor, { ...choice, signature }))
  service.start()
  for (let at = 0; at < 6; at++) await clock.advance(10_000)
  return { ...world, application, reviewCaseId }
}

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
    const outcome = { ...shown, ...shown.checkpoint, decision: 'approved' as const }
    const fault = await faultOfOutcome(
      { ...outcome, resumeToken: outcome.resumeToken ?? null },
      presentation,
      { rpId, origins: [origin], keys: pinned.map((key) => ({ ...key })) },
      verifySignedBytes,
    )
    assert.equal(fault, null)
    await service.close()
  })
})

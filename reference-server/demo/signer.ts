import type { Client as Application, CaseAnswer } from '@countersign/client'
import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { challengeOf, type DecisionStatement } from '@countersign/core/webauthn'
import { pinReviewers } from '@countersign/receiver-kit/reviewers'
import { type Client, must } from './client.ts'

/** A reviewer with a key of their own, and an application that pins it. */
export interface SigningStage {
  readonly application: Application
  readonly tenantId: string
  readonly applicationId: string
  readonly reviewer: Client
  readonly reviewerPassword: string
  /** Of the portal. */
  readonly portalOrigin: string
}

const own = '/v1/auth/authenticators'
const checkpoint = { sessionId: 'ses_demo_agent', checkpointId: 'before-large-payment' }

/**
 * Enrols an authenticator in software, and approves a payment by its signature. The application holds the decision to the
 * key that it pinned, and not to the word of the service.
 */
export async function approveSigned(stage: SigningStage): Promise<void> {
  const { application, tenantId, applicationId, reviewer } = stage
  const { reviewerPassword: password, portalOrigin: origin } = stage
  const { hostname: rpId } = new URL(origin)
  const key = createSoftwareAuthenticator({ algorithm: 'EdDSA', rpId, origin })
  const use = 'signing'
  const begun = await must(reviewer.ask('POST', `${own}/registrations`, { use, password }))
  const { challenge } = begun.options as { readonly challenge: string }
  const { id, response } = key.register({ challenge })
  const credential = { id, response }
  await must(reviewer.ask('POST', own, { name: "Ruth's key", use, credential }))
  const { keys } = await application.reviewerKeys.list()
  const pinned = keys.flatMap((each) => (each.kid === key.credentialId ? [{ ...each }] : []))
  const reviewers = pinReviewers({ tenantId, applicationId, rpId, origins: [origin], keys: pinned })
  let opened = (_: CaseAnswer) => {}
  const open = new Promise<CaseAnswer>((resolve) => {
    opened = resolve
  })
  const asked = application.reviewCases.request(
    {
      ...checkpoint,
      reasonCategory: 'high_risk_action',
      reviewTier: 'high',
      presentation: { action: 'payment', amount: '250000.00 EUR', to: 'ACME GmbH' },
    },
    { reviewers, onOpen: opened },
  )
  const path = `/v1/review-cases/${(await open).reviewCaseId}`
  const { caseVersion, presentationDigest } = await must(reviewer.ask('POST', `${path}/claim`, {}))
  const decision = 'approved'
  const choice = { caseVersion, presentationDigest, decision, comment: 'Checked with the board.' }
  const stated = await must(reviewer.ask('POST', `${path}/decision-statement`, choice))
  const statement = stated.statement as DecisionStatement
  const assertion = key.assert({ challenge: challengeOf(statement) })
  const signature = { statement, nonces: stated.nonces, ...assertion }
  await must(reviewer.ask('POST', `${path}/decide`, { ...choice, signature }))
  const { approved, reviewCaseId } = await asked
  if (!approved) throw new Error(`expected case ${reviewCaseId} to be approved by signature`)
  await application.reviewCases.reportContinuation({ reviewCaseId, outcome: 'resumed' })
}

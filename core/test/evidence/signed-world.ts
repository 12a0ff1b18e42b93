import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { unwrap } from '@countersign/core'
import { challengeOf } from '@countersign/core/webauthn'
import { evidenceWorld } from './world.ts'

const password = 'correct horse battery'
export const rpId = 'ingest.example'
export const origin: string = `https://${rpId}`
export const presentation = { title: 'Pay invoice 17', amount: '1200.00' }

/** A session whose case was approved by the reviewer's own signature, sealed, with the application's view of it. */
export async function signed() {
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

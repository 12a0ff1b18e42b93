import { usualMaxAgeMs } from '@countersign/core/webauthn'
import type { OutcomeForgery } from './reviewers.ts'

const hourMs = 60 * 60_000
const other = '1e'.repeat(32)

/** Approvals that no reviewer gave, as who holds all keys of the service can send them. */
export const forgeries: Readonly<Record<string, OutcomeForgery>> = {
  'no signature': { unsigned: true },
  'a signed rejection whose statement was changed': {
    signed: { decision: 'rejected' },
    statement: { decision: 'approved' },
  },
  'a signed rejection': { signed: { decision: 'rejected' } },
  'a signed approval of another case': { signed: { reviewCaseId: 'rc_other' } },
  'a signed approval of another version': { signed: { caseVersion: 1_000 } },
  'a signed approval at another checkpoint': { signed: { checkpointId: 'step_other' } },
  'a signed approval in another AI run': { signed: { sessionId: 'ses_other' } },
  'a signed approval for another application': { signed: { applicationId: 'app_other' } },
  'a signed approval in another organization': { signed: { tenantId: 'ten_other' } },
  'a signed approval of the same in another organization': { outcome: { tenantId: 'ten_other' } },
  'a signed approval of the same for another application': {
    outcome: { applicationId: 'app_other' },
  },
  'a signed approval for another resume token': { signed: { resumeTokenDigest: other } },
  'a signed approval with another resume token': { outcome: { resumeToken: 'token_other' } },
  'a signed approval without the resume token': { outcome: { resumeToken: null } },
  'a signed approval of another AI run': { outcome: { sessionId: 'ses_other' } },
  'a signed approval of something harmless': { signed: { askedDigest: other } },
  'a signed approval of another presentation': { signed: { presentationDigest: other } },
  'a signed approval of long ago': { signed: { issuedAt: '2020-01-01T00:00:00.000Z' } },
  'a signed approval of an hour too long ago': { signedAfterMs: -usualMaxAgeMs - hourMs },
  'a signed approval of an hour to come': { signedAfterMs: hourMs },
  'a user who was not verified': { assertion: { flags: 1 } },
  'a page of another relying party': { assertion: { rpId: 'example.net' } },
  'a page of another origin': { assertion: { origin: 'https://portal.example.net' } },
  'a revoked key': { by: 'revoked' },
  'a key that came with the outcome': { by: 'stranger' },
  'a key that came with the outcome, under a pinned id': { by: 'stranger', credentialOf: 'EdDSA' },
  'a key of RSA under the id of an elliptic one': { by: 'stranger', credentialOf: 'ES256' },
}

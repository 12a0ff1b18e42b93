import {
  enrolAuthenticator,
  listAuthenticators,
  listMemberAuthenticators,
  listReviewerKeys,
  readSignedDecisions,
  readSigningModels,
  renameAuthenticator,
  revokeAuthenticator,
  revokeMemberAuthenticator,
  setSignedDecisions,
  setSigningModels,
  startRegistration,
  stateChange,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import type { Route } from './operation.ts'

const own = '/v1/auth/authenticators'
const ofMember = '/v1/customer/members/:memberId/authenticators'
const signingModels = '/v1/customer/signing-models'
const signedDecisions = '/v1/applications/:applicationId/signed-decisions'

/** Authenticators of members, which decisions must be signed, and the keys that applications pin. */
export const authenticatorRoutes: readonly Route[] = [
  http(listAuthenticators, 'GET', own),
  http(startRegistration, 'POST', `${own}/registrations`),
  http(stateChange, 'POST', `${own}/change-statement`),
  http(enrolAuthenticator, 'POST', own),
  http(renameAuthenticator, 'PUT', `${own}/:authenticatorId`),
  http(revokeAuthenticator, 'POST', `${own}/:authenticatorId/revoke`),
  http(listMemberAuthenticators, 'GET', ofMember),
  http(revokeMemberAuthenticator, 'DELETE', `${ofMember}/:authenticatorId`),
  http(readSignedDecisions, 'GET', signedDecisions),
  http(setSignedDecisions, 'PUT', signedDecisions),
  http(readSigningModels, 'GET', signingModels),
  http(setSigningModels, 'PUT', signingModels),
  http(listReviewerKeys, 'GET', '/v1/reviewer-keys'),
]

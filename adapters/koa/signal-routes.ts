import {
  readIngestRules,
  readPolicyRules,
  readRedactionPolicies,
  readScores,
  setIngestRules,
  setPolicyRules,
  setRedactionPolicies,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import type { Route } from './operation.ts'

const application = '/v1/applications/:applicationId'

/** Rules for what applications send, and its scores (interface, Portal host). */
export const signalRoutes: readonly Route[] = [
  http(readPolicyRules, 'GET', `${application}/policy-rules`),
  http(setPolicyRules, 'PUT', `${application}/policy-rules`),
  http(readRedactionPolicies, 'GET', `${application}/redaction-policies`),
  http(setRedactionPolicies, 'PUT', `${application}/redaction-policies`),
  http(readIngestRules, 'GET', `${application}/ingest-rules`),
  http(setIngestRules, 'PUT', `${application}/ingest-rules`),
  http(readScores, 'GET', `${application}/scores`),
]

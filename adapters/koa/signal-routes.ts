import {
  readIngestRules,
  readPolicyRules,
  readRedactionPolicies,
  setIngestRules,
  setPolicyRules,
  setRedactionPolicies,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { member } from './callers.ts'
import * as answers from './description/signal-answers.ts'
import { json } from './media.ts'
import type { Route } from './operation.ts'
import { reply, route } from './route.ts'

const application = '/v1/applications/:applicationId'

/** Rules for what applications send, and its scores (interface, Portal host). */
export const signalRoutes: readonly Route[] = [
  http(readPolicyRules, 'GET', `${application}/policy-rules`),
  http(setPolicyRules, 'PUT', `${application}/policy-rules`),
  http(readRedactionPolicies, 'GET', `${application}/redaction-policies`),
  http(setRedactionPolicies, 'PUT', `${application}/redaction-policies`),
  http(readIngestRules, 'GET', `${application}/ingest-rules`),
  http(setIngestRules, 'PUT', `${application}/ingest-rules`),
  route({
    ...member,
    right: 'readPolicies',
    name: 'scores.read',
    summary: 'Read the scores of an application over 7 days',
    method: 'GET',
    path: `${application}/scores`,
    answer: json(answers.scoresAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      reply(await service.signals.readScores(actor, param('applicationId'))),
  }),
]

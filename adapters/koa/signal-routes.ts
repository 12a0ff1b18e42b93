import { member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/signal-answers.ts'
import { json, jsonBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, route } from './route.ts'
import * as schemas from './signal-schemas.ts'

const application = '/v1/applications/:applicationId'
const viewer = { ...member, right: 'readPolicies', method: 'GET', refuses: [] } as const
const admin = { ...member, right: 'managePolicies', method: 'PUT' } as const

/** Rules for what applications send (interface, Portal host). */
export const signalRoutes: readonly Route[] = [
  route({
    ...viewer,
    name: 'policyRules.read',
    summary: 'Read the policy rules of an application',
    path: `${application}/policy-rules`,
    answer: json(answers.policyRulesAnswer),
    handle: async ({ service, actor, param }) =>
      reply(await service.signals.readPolicyRules(actor, param('applicationId'))),
  }),
  route({
    ...admin,
    name: 'policyRules.set',
    summary: 'Replace the policy rules; cases of withdrawn rules are cancelled',
    path: `${application}/policy-rules`,
    body: jsonBody(schemas.policyRules),
    answer: json(answers.policyRulesAnswer),
    refuses: ['application_gone', 'version_conflict'],
    handle: async ({ service, actor, param, body }) =>
      reply(
        await service.signals.setPolicyRules(actor, param('applicationId'), {
          ...body,
          rules: body.rules.map(({ match, ...rule }) => ({
            ...defined(rule),
            ...(match && { match: defined(match) }),
          })),
        }),
      ),
  }),
  route({
    ...viewer,
    name: 'redactionPolicies.read',
    summary: 'Read the redaction policies of an application',
    path: `${application}/redaction-policies`,
    answer: json(answers.redactionPoliciesAnswer),
    handle: async ({ service, actor, param }) =>
      reply(await service.signals.readRedactionPolicies(actor, param('applicationId'))),
  }),
  route({
    ...admin,
    name: 'redactionPolicies.set',
    summary: 'Replace the redaction policies, which apply before anything is stored',
    path: `${application}/redaction-policies`,
    body: jsonBody(schemas.redactionPolicies),
    answer: json(answers.redactionPoliciesAnswer),
    refuses: ['application_gone'],
    handle: async ({ service, actor, param, body }) =>
      reply(
        await service.signals.setRedactionPolicies(actor, param('applicationId'), {
          policies: body.policies.map(defined),
        }),
      ),
  }),
  route({
    ...viewer,
    name: 'ingestRules.read',
    summary: 'Read the ingest rules of an application',
    path: `${application}/ingest-rules`,
    answer: json(answers.ingestRulesAnswer),
    handle: async ({ service, actor, param }) =>
      reply(await service.signals.readIngestRules(actor, param('applicationId'))),
  }),
  route({
    ...admin,
    name: 'ingestRules.set',
    summary:
      'Replace the ingest rules: which attributes name session and subject, and which are dropped',
    path: `${application}/ingest-rules`,
    body: jsonBody(schemas.ingestRules),
    answer: json(answers.ingestRulesAnswer),
    refuses: ['application_gone'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.signals.setIngestRules(actor, param('applicationId'), defined(body))),
  }),
  route({
    ...viewer,
    name: 'scores.read',
    summary: 'Read the scores of an application over 7 days',
    path: `${application}/scores`,
    answer: json(answers.scoresAnswer),
    handle: async ({ service, actor, param }) =>
      reply(await service.signals.readScores(actor, param('applicationId'))),
  }),
]

import * as schemas from './alert-schemas.ts'
import { member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/alert-answers.ts'
import { json, jsonBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import { pageQuery } from './schemas.ts'

const viewer = { ...member, right: 'readAlertRules', method: 'GET', refuses: [] } as const
const admin = { ...member, right: 'manageAlertRules' } as const
const rule = '/v1/alert-rules/:alertRuleId'

/** Alert rules (interface, Portal host). */
export const alertRoutes: readonly Route[] = [
  route({
    ...viewer,
    name: 'alertRules.list',
    summary: 'List alert rules with their state',
    path: '/v1/alert-rules',
    query: pageQuery,
    answer: json(answers.alertRulesAnswer),
    handle: async ({ service, actor, query }) =>
      replyAs(await service.signals.listAlertRules(actor, query), ({ items, ...paging }) => ({
        alertRules: items,
        ...paging,
      })),
  }),
  route({
    ...admin,
    name: 'alertRules.create',
    summary: 'Create an alert rule, which is judged at once',
    method: 'POST',
    path: '/v1/alert-rules',
    body: jsonBody(schemas.alertRule),
    answer: json(answers.alertRuleAnswer),
    refuses: ['alert_rule_limit', 'application_gone', 'not_found'],
    handle: async ({ service, actor, body }) =>
      reply(await service.signals.createAlertRule(actor, defined(body))),
  }),
  route({
    ...viewer,
    name: 'alertRules.read',
    summary: 'Read an alert rule with its state',
    path: rule,
    answer: json(answers.alertRuleAnswer),
    handle: async ({ service, actor, param }) =>
      reply(await service.signals.readAlertRule(actor, param('alertRuleId'))),
  }),
  route({
    ...admin,
    name: 'alertRules.update',
    summary: 'Replace an alert rule; no event tells of it',
    method: 'PUT',
    path: rule,
    body: jsonBody(schemas.alertRule),
    answer: json(answers.alertRuleAnswer),
    refuses: ['application_gone'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.signals.updateAlertRule(actor, param('alertRuleId'), defined(body))),
  }),
  route({
    ...admin,
    name: 'alertRules.remove',
    summary: 'Remove an alert rule; no event tells of it',
    method: 'DELETE',
    path: rule,
    answer: json(answers.removedAlertRuleAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      replyAs(await service.signals.removeAlertRule(actor, param('alertRuleId')), () => ({
        alertRuleId: param('alertRuleId'),
        deleted: true as const,
      })),
  }),
]

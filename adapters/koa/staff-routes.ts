import { resumeTenant, setPlan, suspendTenant } from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { staff } from './callers.ts'
import {
  poisonAnswer,
  poisonListAnswer,
  tenantDeletionAnswer,
} from './description/staff-answers.ts'
import { partAs } from './list-stream.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import { listQuery } from './schemas.ts'
import { staffNote, tenantDeletion } from './staff-schemas.ts'
import { partOf } from './whole-list.ts'

const tenant = '/v1/staff/tenants/:tenantId'
const poison = '/v1/staff/purge-poison/:messageId'

/** What staff of the service does to organizations. */
export const staffRoutes: readonly Route[] = [
  http(suspendTenant, 'POST', `${tenant}/suspend`, { limit: smallBody }),
  http(resumeTenant, 'POST', `${tenant}/resume`, { limit: smallBody }),
  http(setPlan, 'PUT', `${tenant}/plan`, { limit: smallBody }),
  route({
    ...staff,
    right: 'deleteTenants',
    name: 'tenants.requestDeletion',
    summary: 'Start the deletion of an organization with all its applications',
    method: 'POST',
    path: `${tenant}/deletion` as const,
    body: jsonBody(tenantDeletion),
    answer: json(tenantDeletionAnswer),
    refuses: ['blocked_by_hold'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.deletions.requestTenantDeletion(actor, param('tenantId'), body)),
  }),
  route({
    ...staff,
    right: 'deleteTenants',
    name: 'tenants.cancelDeletion',
    summary: 'Take back the deletion of an organization whose purge has not begun',
    method: 'DELETE',
    path: `${tenant}/deletion` as const,
    answer: json(tenantDeletionAnswer),
    refuses: ['not_pending', 'purge_started'],
    handle: async ({ service, actor, param }) =>
      reply(await service.deletions.cancelTenantDeletion(actor, param('tenantId'))),
  }),
  route({
    ...staff,
    right: 'managePurges',
    name: 'purgePoison.list',
    summary: 'List purges that failed for the last time',
    method: 'GET',
    path: '/v1/staff/purge-poison',
    query: listQuery,
    answer: json(poisonListAnswer),
    refuses: [],
    handle: async ({ service, actor, query }) =>
      replyAs(await service.deletions.listPoisoned(actor, partOf(query)), partAs('messages')),
  }),
  route({
    ...staff,
    right: 'managePurges',
    name: 'purgePoison.requeue',
    summary: 'Try a failed purge again at once',
    method: 'POST',
    path: `${poison}/requeue` as const,
    body: jsonBody(staffNote, smallBody),
    answer: json(poisonAnswer),
    refuses: [],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.deletions.requeue(actor, param('messageId'), body)),
  }),
  route({
    ...staff,
    right: 'managePurges',
    name: 'purgePoison.resolve',
    summary: 'Leave a failed purge, whose cause is settled, to the next sweep',
    method: 'POST',
    path: `${poison}/resolve` as const,
    body: jsonBody(staffNote, smallBody),
    answer: json(poisonAnswer),
    refuses: ['invalid_transition'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.deletions.resolve(actor, param('messageId'), body)),
  }),
]

import { staff } from './callers.ts'
import { defined } from './defined.ts'
import { entitlementsAnswer } from './description/organization-answers.ts'
import { tenantStatusAnswer } from './description/staff-answers.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, route } from './route.ts'
import { setPlan, staffReason } from './staff-schemas.ts'

const tenant = '/v1/staff/tenants/:tenantId'

/** What staff of the service does to organizations. */
export const staffRoutes: readonly Route[] = [
  route({
    ...staff,
    right: 'suspendTenants',
    name: 'tenants.suspend',
    summary: 'Suspend an organization: every call of its members and keys is 503 from then on',
    method: 'POST',
    path: `${tenant}/suspend` as const,
    body: jsonBody(staffReason, smallBody),
    answer: json(tenantStatusAnswer),
    refuses: [],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.access.suspendTenant(actor, param('tenantId'), body)),
  }),
  route({
    ...staff,
    right: 'suspendTenants',
    name: 'tenants.resume',
    summary: "End an organization's suspension",
    method: 'POST',
    path: `${tenant}/resume` as const,
    body: jsonBody(staffReason, smallBody),
    answer: json(tenantStatusAnswer),
    refuses: [],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.access.resumeTenant(actor, param('tenantId'), body)),
  }),
  route({
    ...staff,
    right: 'setPlans',
    name: 'tenants.setPlan',
    summary: 'Set the plan of an organization, and the retention of an Enterprise one',
    method: 'PUT',
    path: `${tenant}/plan` as const,
    body: jsonBody(setPlan, smallBody),
    answer: json(entitlementsAnswer),
    refuses: [],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.organization.setPlan(actor, param('tenantId'), defined(body))),
  }),
]

import type { AuditPart, PageQuery } from '@countersign/core'
import { usualPageSize } from '@countersign/core/ledger'
import { member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/organization-answers.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import * as schemas from './organization-schemas.ts'
import { reply, replyAs, route } from './route.ts'

const reader = { ...member, right: 'readOrganization' } as const

/** The organization: its profile, its plan, its audit log. */
export const organizationRoutes: readonly Route[] = [
  route({
    ...reader,
    name: 'profile.read',
    summary: "Read the organization's profile",
    method: 'GET',
    path: '/v1/customer/profile',
    answer: json(answers.profileAnswer),
    refuses: [],
    handle: async ({ service, actor }) => reply(await service.organization.readProfile(actor)),
  }),
  route({
    ...member,
    right: 'updateProfile',
    name: 'profile.update',
    summary: "Replace the organization's profile",
    method: 'PUT',
    path: '/v1/customer/profile',
    body: jsonBody(schemas.profile, smallBody),
    answer: json(answers.profileAnswer),
    refuses: [],
    handle: async ({ service, actor, body }) => {
      const { organizationName, contactEmail, country = null, timezone = null } = body
      const input = { organizationName, contactEmail, country, timezone }
      return reply(await service.organization.updateProfile(actor, input))
    },
  }),
  route({
    ...reader,
    name: 'entitlements.read',
    summary: 'Read what the plan includes, and what of it is used',
    method: 'GET',
    path: '/v1/customer/entitlements',
    answer: json(answers.entitlementsAnswer),
    refuses: [],
    handle: async ({ service, actor }) => reply(await service.organization.entitlements(actor)),
  }),
  route({
    ...member,
    right: 'readAuditLog',
    name: 'auditLog.list',
    summary: 'List entries of the audit log, newest first',
    method: 'GET',
    path: '/v1/customer/audit-log',
    query: schemas.auditLogQuery,
    answer: json(answers.auditLogAnswer),
    refuses: [],
    handle: async ({ service, actor, query }) => {
      const { page = 1, pageSize, after, limit, before, ...filter } = query
      const byCursor = after !== undefined || limit !== undefined
      const part = { page, pageSize: pageSize ?? limit ?? usualPageSize }
      const bounds = [after, before].flatMap((bound) => bound ?? [])
      const result = await service.organization.readAuditLog(actor, {
        ...part,
        before: bounds.length === 0 ? null : Math.min(...bounds),
        filter: defined(filter),
      })
      return byCursor
        ? replyAs(result, behindCursor)
        : replyAs(result, (found) => asPage(found, part))
    },
  }),
]

function asPage({ entries, totalCount, scannedTo }: AuditPart, { page, pageSize }: PageQuery) {
  const hasMore = page * pageSize < totalCount
  return { entries, totalCount, page, pageSize, hasMore, scannedTo }
}

/** Goes on behind the last row, or behind what was looked at. */
function behindCursor({ entries: rows, totalCount, scannedTo }: AuditPart) {
  const last = rows.length < totalCount ? rows.at(-1)?.position : scannedTo
  return { rows, next: last ? String(last) : null, totalCount, scannedTo }
}

import type { Result, TenantDeletionInput, TenantDeletionView } from '@countersign/core'
import { staffActor, staffOption } from './staff.ts'
import {
  type Arguments,
  CommandError,
  type Report,
  type Subcommand,
  UsageError,
} from './subcommand.ts'
import { withService } from './with-service.ts'

const given = {
  ticket: { type: 'string' },
  method: { type: 'string' },
  'verified-by': { type: 'string' },
  'verified-at': { type: 'string' },
  'form-sha256': { type: 'string' },
  'signed-by': { type: 'string' },
  'signed-at': { type: 'string' },
} as const

export const deleteTenant: Subcommand = {
  summary: 'start the deletion of an organization',
  help: `Usage: countersign delete-tenant TENANT --ticket TEXT --method TEXT --verified-by NAME
         --verified-at TIME --form-sha256 HEX --signed-by TEXT --signed-at TIME --as NAME [--json]

All applications of the organization become pending; after the grace period they are purged and
the organization goes. Asked again, the first deletion stays. Needs the settings of the server,
from its environment; the server may run, and must for the deletion to be carried out.

  TENANT              the organization's id, ten_...
  --ticket TEXT       the request
  --method TEXT       how the identity of who asks was verified
  --verified-by NAME  which of the staff verified it: a name of COUNTERSIGN_STAFF_TOKENS other than
                      that of --as. Where it has one name alone, give a second person a token first
  --verified-at TIME  when, as 2026-11-22T09:00:00Z
  --form-sha256 HEX   SHA-256 of the signed authorization form
  --signed-by TEXT    who signed it
  --signed-at TIME    when
  --as NAME           who asks, for the audit log: staff:NAME

countersign keep-tenant TENANT takes it back until the first purge begins.
`,
  options: { ...given, ...staffOption },
  positionals: ['TENANT'],
  run: ({ values, positionals: [tenantId = ''] }, around) => {
    const input = inputOf(values)
    const actor = staffActor({ as: textOf(values, 'as') })
    return withService(around, async ({ tenants }) =>
      reportOf(tenantId, await tenants.requestDeletion(actor, { tenantId, ...input })),
    )
  },
}

export const keepTenant: Subcommand = {
  summary: 'take back the deletion of an organization',
  help: `Usage: countersign keep-tenant TENANT [--as NAME] [--json]

The organization and its applications are as they were before countersign delete-tenant. Refused
once the first purge has begun. Needs the settings of the server, from its environment; the server
may run.

  TENANT     the organization's id, ten_...
  --as NAME  who does it, for the audit log: staff:NAME; else system
`,
  options: staffOption,
  positionals: ['TENANT'],
  run: ({ values, positionals: [tenantId = ''] }, around) => {
    const actor = staffActor(values)
    return withService(around, async ({ tenants }) =>
      reportOf(tenantId, await tenants.cancelDeletion(actor, { tenantId })),
    )
  },
}

function inputOf(values: Arguments['values']): TenantDeletionInput {
  return {
    ticket: textOf(values, 'ticket'),
    identity: {
      method: textOf(values, 'method'),
      verifiedBy: textOf(values, 'verified-by'),
      verifiedAt: timeOf(values, 'verified-at'),
    },
    authorizationForm: {
      sha256: textOf(values, 'form-sha256'),
      signedBy: textOf(values, 'signed-by'),
      signedAt: timeOf(values, 'signed-at'),
    },
  }
}

function textOf(values: Arguments['values'], name: keyof typeof given | 'as'): string {
  const value = values[name]
  if (typeof value === 'string' && value !== '') return value
  throw new UsageError(`expected a value for --${name}, got none`)
}

function timeOf(values: Arguments['values'], name: keyof typeof given | 'as'): number {
  const text = textOf(values, name)
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new UsageError(`expected in --${name} a time such as 2026-11-22T09:00:00Z, got ${text}`)
}

function reportOf(tenantId: string, result: Result<TenantDeletionView>): Report {
  if (!result.ok) throw new CommandError(`${tenantId}: ${result.refusal.detail}`)
  const { state, purgeAt, applications } = result.value
  const until = purgeAt === null ? '' : `, purged from ${purgeAt} on`
  return {
    ok: true,
    text: `${tenantId}: ${state}${until}, ${applications.length} applications\n`,
    facts: { ...result.value },
  }
}

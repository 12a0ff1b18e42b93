import { applicationKeys, customerKeys } from './access/key-records.ts'
import { invitations } from './access/membership/records.ts'
import { members, tenants } from './access/records.ts'
import type { AccessUseCases } from './access/use-cases.ts'
import { applicationOf } from './applications/load.ts'
import { applications } from './applications/records.ts'
import { tenantOf } from './callers/actor.ts'
import { notificationChannels } from './channels/records.ts'
import { erasureRequests, legalHolds } from './erasure/records.ts'
import { evidencePackages, expiredPackages } from './evidence/packages/records.ts'
import { keyRequestActions, keyRequests } from './key-requests/records.ts'
import type { Ledger } from './ledger/ledger.ts'
import { get, list, one } from './ledger/reads.ts'
import { ok, type Result, refuse } from './ledger/refusal.ts'
import { purges } from './lifecycle/records.ts'
import { deliveries } from './outbox/records.ts'
import type { Collection, Key, Read } from './ports/store.ts'
import { reviewCases } from './review/records.ts'
import { findSession } from './sessions/find-session.ts'
import { type StoredSession, steps } from './sessions/records.ts'
import { batches } from './sessions/seal-records.ts'
import { alertRules } from './signals/alerts/records.ts'
import { sessionFlags } from './signals/flags/records.ts'
import { sessionAnnotations } from './signals/sessions/records.ts'
import { webhooks } from './webhooks/records.ts'

/** Who asks; `tenantId` is null for staff, to whom records of every organization are known. */
interface Asked {
  readonly tenantId: string | null
  /** A key sees what its own application has. */
  readonly applicationId: string | null
  readonly named: Readonly<Record<string, string>>
  readonly read: (reads: readonly Read[]) => ReturnType<Ledger['read']>
}

type Known = (asked: Asked, id: string) => Promise<boolean>

/** A row by a key that begins with the organization's id. */
const ofTenant =
  <R extends object>(collection: Collection<R>, ...before: readonly string[]): Known =>
  async ({ tenantId, named, read }, id) => {
    const key: Key = [tenantId ?? '', ...before.map((name) => named[name] ?? ''), id]
    const [found] = await read([get(collection, key)])
    return one(collection, found) !== null
  }

/** A row by its own id alone. */
const byItself =
  <R extends { readonly tenantId: string; readonly applicationId?: string | null }>(
    collection: Collection<R>,
  ): Known =>
  async ({ tenantId, applicationId, read }, id) => {
    const [found] = await read([get(collection, [id])])
    const row = one(collection, found)?.row
    if (!row) return false
    if (tenantId !== null && row.tenantId !== tenantId) return false
    return applicationId === null || row.applicationId === applicationId
  }

/** A row of staff's, by an index of ids of all organizations. */
const byIndex =
  <R extends object>(collection: Collection<R>, by: string, name: string): Known =>
  async ({ read }, id) => {
    const [found] = await read([list(collection, { by, where: [[name, '=', id]], take: 1 })])
    return one(collection, found) !== null
  }

async function sessionOf({ tenantId, named, read }: Asked): Promise<StoredSession | null> {
  const reader = { read }
  const owner = { tenantId: tenantId ?? '' }
  const found = await findSession(reader, owner, named.sessionId ?? '', null)
  return found.ok ? found.value.row : null
}

/** A row that hangs on a session; of an ambiguous one nothing is known, nor refused. */
const onSession =
  <R extends object>(
    collection: Collection<R>,
    keyOf: (session: StoredSession, id: string) => Key,
  ): Known =>
  async (asked, id) => {
    const session = await sessionOf(asked)
    if (session === null) return true
    const [found] = await asked.read([get(collection, keyOf(session, id))])
    return one(collection, found) !== null
  }

const marked = ({ tenantId, applicationId, sessionId }: StoredSession, id: string): Key => [
  tenantId,
  applicationId,
  sessionId,
  id,
]

/** How an id of each name is looked up; one that no row has here is left to the use case. */
const known: Readonly<Record<string, Known>> = {
  action: async (_asked, id) => keyRequestActions.some((action) => action === id),
  alertRuleId: ofTenant(alertRules),
  annotationId: onSession(sessionAnnotations, marked),
  applicationId: ofTenant(applications),
  batchId: async ({ tenantId, applicationId, read }, id) => {
    const [found] = await read([get(batches, [tenantId ?? '', applicationId ?? '', id])])
    return one(batches, found) !== null
  },
  channelId: ofTenant(notificationChannels),
  erasureRequestId: byItself(erasureRequests),
  eventId: async ({ named, read }, id) => {
    const [found] = await read([get(deliveries, [named.webhookId ?? '', id])])
    return one(deliveries, found)?.row.kind === 'event'
  },
  flagId: onSession(sessionFlags, marked),
  holdId: byItself(legalHolds),
  invitationId: ofTenant(invitations),
  keyId: (asked, id) => {
    if (asked.tenantId === null) return byIndex(customerKeys, 'byId', 'keyId')(asked, id)
    return asked.named.applicationId === undefined
      ? ofTenant(customerKeys)(asked, id)
      : ofTenant(applicationKeys, 'applicationId')(asked, id)
  },
  memberId: ofTenant(members),
  messageId: byIndex(purges, 'byMessage', 'messageId'),
  packageId: async (asked, id) =>
    (await ofTenant(evidencePackages)(asked, id)) || ofTenant(expiredPackages)(asked, id),
  requestId: byItself(keyRequests),
  reviewCaseId: byItself(reviewCases),
  sessionId: async ({ tenantId, named, read }) => {
    const owner = { tenantId: tenantId ?? '' }
    const found = await findSession({ read }, owner, named.sessionId ?? '', null)
    return found.ok || found.refusal.code !== 'not_found'
  },
  stepId: onSession(steps, ({ tenantId, applicationId, origin, sessionId }, id) => [
    tenantId,
    applicationId,
    origin === 'submission' ? sessionId : '',
    id,
  ]),
  tenantId: async ({ tenantId, read }, id) => {
    const [found] = await read([get(tenants, [tenantId ?? id])])
    return one(tenants, found) !== null
  },
  webhookId: byItself(webhooks),
}

/** Looks up what ids name, for a host that has another refusal at hand. */
export function createNamedCheck({
  ledger,
}: {
  readonly ledger: Ledger
}): AccessUseCases['checkNamed'] {
  return async (actor, named, { active }) => {
    const tenantId = tenantOf(actor)
    const read: Asked['read'] = (reads) => ledger.read(tenantId, reads)
    const isKey = actor.kind === 'application' || actor.kind === 'customerKey'
    const asked = { tenantId, applicationId: isKey ? actor.applicationId : null, named, read }
    for (const [name, id] of Object.entries(named))
      if ((await known[name]?.(asked, id)) === false) return refuse('not_found', 'no such resource')
    return active ? stillActive(asked) : ok(null)
  }
}

async function stillActive(asked: Asked): Promise<Result<null>> {
  const { tenantId, named, read } = asked
  if (tenantId === null) return ok(null)
  const applicationId =
    named.applicationId ??
    (named.sessionId === undefined ? null : (await sessionOf(asked))?.applicationId)
  if (!applicationId) return ok(null)
  const [found] = await read([applicationOf(tenantId, applicationId)])
  const state = one(applications, found)?.row.lifecycleState
  if (state === undefined || state === 'active') return ok(null)
  return refuse('application_gone', `the application is ${state}, expected active`)
}

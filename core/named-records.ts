import { applicationOf } from './applications/load.ts'
import { applications } from './applications/records.ts'
import { isEventType } from './base/events/catalogue.ts'
import type { Collection, Key, Read } from './base/ports/store.ts'
import { findSession } from './content/find-session.ts'
import { type StoredSession, steps } from './content/records.ts'
import { batches } from './content/seal-records.ts'
import { evidencePackages, expiredPackages } from './evidence/packages/records.ts'
import { tenantOf } from './kernel/callers/actor.ts'
import type { Ledger } from './kernel/ledger/ledger.ts'
import { get, list, one } from './kernel/ledger/reads.ts'
import { ok, type Result, refuse } from './kernel/ledger/refusal.ts'
import { keyRequestActions, keyRequests } from './keys/requests/records.ts'
import { members, tenants } from './organizations/access/records.ts'
import type { AccessUseCases } from './organizations/access/use-cases.ts'
import { applicationKeys, customerKeys } from './organizations/api-keys/key-records.ts'
import { authenticators } from './organizations/authenticators/records.ts'
import { invitations } from './organizations/members/records.ts'
import { deliveries, messages } from './outbox/records.ts'
import { alertRules } from './policies/alerts/records.ts'
import { sessionFlags } from './policies/flags/records.ts'
import { sessionAnnotations } from './policies/sessions/records.ts'
import { erasureRequests, legalHolds } from './removal/erasure/records.ts'
import { purges } from './removal/lifecycle/records.ts'
import { reviewCases } from './review/records.ts'
import { notificationChannels } from './webhooks/channels/records.ts'
import { webhooks } from './webhooks/records.ts'

/** Who asks; `tenantId` is null for staff, to whom records of every organization are known. */
interface Asked {
  readonly tenantId: string | null
  /** A key sees what its own application has. */
  readonly applicationId: string | null
  /** Null for who is no member. */
  readonly memberId: string | null
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

/** A row that staff name, found by an index over the ids of all organizations. */
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

/** A row of a session. Under an ambiguous session every id passes: the use case refuses it. */
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

/** How ids are looked up, by the name of the parameter; the use case checks a name that is not listed. */
const known: Readonly<Record<string, Known>> = {
  action: async (_asked, id) => keyRequestActions.some((action) => action === id),
  alertRuleId: ofTenant(alertRules),
  annotationId: onSession(sessionAnnotations, marked),
  applicationId: ofTenant(applications),
  authenticatorId: async ({ tenantId, memberId, named, read }, id) => {
    const key = [tenantId ?? '', named.memberId ?? memberId ?? '', id] as const
    const [found] = await read([get(authenticators, key)])
    return one(authenticators, found) !== null
  },
  batchId: async ({ tenantId, applicationId, read }, id) => {
    const [found] = await read([get(batches, [tenantId ?? '', applicationId ?? '', id])])
    return one(batches, found) !== null
  },
  channelId: ofTenant(notificationChannels),
  erasureRequestId: byItself(erasureRequests),
  eventId: async ({ named, tenantId, read }, id) => {
    const { webhookId } = named
    if (webhookId === undefined) {
      const [found] = await read([get(messages, [id])])
      const message = one(messages, found)?.row
      return message?.tenantId === tenantId && isEventType(message.type)
    }
    const [found] = await read([get(deliveries, [webhookId, id])])
    return one(deliveries, found) !== null
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

/** Checks that ids name something, so that a host can answer 404 or 410 before a refusal of its own. */
export function createNamedCheck({
  ledger,
}: {
  readonly ledger: Ledger
}): AccessUseCases['checkNamed'] {
  return async (actor, named, { active }) => {
    const tenantId = tenantOf(actor)
    const read: Asked['read'] = (reads) => ledger.read(tenantId, reads)
    const isKey = actor.kind === 'application' || actor.kind === 'customerKey'
    const applicationId = isKey ? actor.applicationId : null
    const memberId = actor.kind === 'member' ? actor.memberId : null
    const asked = { tenantId, applicationId, memberId, named, read }
    for (const [name, id] of Object.entries(named))
      if ((await known[name]?.(asked, id)) === false) return refuse('not_found', 'no such resource')
    return active ? stillActive(asked) : ok(null)
  }
}

/** The application of the session or of the case that is named. */
async function applicationNamed(asked: Asked): Promise<string | undefined> {
  const { named, read } = asked
  if (named.sessionId !== undefined) return (await sessionOf(asked))?.applicationId
  if (named.reviewCaseId === undefined) return undefined
  const [found] = await read([get(reviewCases, [named.reviewCaseId])])
  return one(reviewCases, found)?.row.applicationId
}

async function stillActive(asked: Asked): Promise<Result<null>> {
  const { tenantId, read } = asked
  if (tenantId === null) return ok(null)
  const applicationId = asked.named.applicationId ?? (await applicationNamed(asked))
  if (applicationId === undefined) return ok(null)
  const [found] = await read([applicationOf(tenantId, applicationId)])
  const state = one(applications, found)?.row.lifecycleState
  if (state === undefined || state === 'active') return ok(null)
  return refuse('application_gone', `the application is ${state}, expected active`)
}

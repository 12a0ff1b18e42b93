import type { Found, Read, Versioned } from '../base/ports/store.ts'
import type { MemberActor } from '../kernel/callers/actor.ts'
import { get, list, many, one } from '../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import type { Lookup } from '../kernel/unit.ts'
import { type Erasing, markedReader } from './erasure-marks.ts'
import { type StoredSession, sessions } from './records.ts'
import { sessionAliases } from './trace-records.ts'
import type { NamedSession } from './view.ts'

interface Reader {
  read(reads: readonly Read[]): Promise<readonly Found[]>
}

/**
 * The session that an id names, or the one that it is an alias of; without an application, whichever of the tenant has
 * it. Refuses with `not_found`, and with `ambiguous_session` where two applications have one.
 */
export async function findSession(
  reader: Reader,
  { tenantId }: Pick<MemberActor, 'tenantId'>,
  sessionId: string,
  applicationId: string | null,
): Promise<Result<Versioned<StoredSession>, 'not_found' | 'ambiguous_session'>> {
  const [found, foundAlias] = await reader.read(
    applicationId === null
      ? [
          list(sessions, {
            by: 'byId',
            where: [
              ['tenantId', '=', tenantId],
              ['sessionId', '=', sessionId],
            ],
            take: 2,
          }),
          list(sessionAliases, {
            by: 'byAlias',
            where: [
              ['tenantId', '=', tenantId],
              ['alias', '=', sessionId],
            ],
            take: 2,
          }),
        ]
      : [
          get(sessions, [tenantId, applicationId, sessionId]),
          get(sessionAliases, [tenantId, applicationId, sessionId]),
        ],
  )
  const named = many(sessions, found).filter(({ row }) => !row.removing)
  // While its steps move, a session and its alias are both there.
  const aliases = many(sessionAliases, foundAlias).filter(
    ({ row }) => !named.some((session) => session.row.applicationId === row.applicationId),
  )
  if (named.length + aliases.length > 1)
    return refuse(
      'ambiguous_session',
      'several applications have a session with this id: add ?applicationId=',
    )
  const [session] = named
  if (session) return ok(session)
  const alias = aliases[0]?.row
  if (!alias) return noSession()
  const [target] = await reader.read([
    get(sessions, [tenantId, alias.applicationId, alias.sessionId]),
  ])
  const led = one(sessions, target)
  return led && !led.row.removing ? ok(led) : noSession()
}

/** The session that an operation names, and whose data is being erased: read together, so before all that hangs on it. */
export async function namedSession(
  lookup: Lookup<MemberActor, 'not_found' | 'ambiguous_session'>,
  { sessionId, applicationId }: NamedSession,
): Promise<{ readonly session: Versioned<StoredSession>; readonly erasing: Erasing }> {
  const reader = markedReader(lookup.read, lookup.by.tenantId)
  const found = await findSession(reader, lookup.by, sessionId, applicationId ?? null)
  return { session: lookup.orRefuse(found), erasing: reader.erasing() }
}

function noSession(): Result<never, 'not_found'> {
  return refuse('not_found', 'no such session')
}

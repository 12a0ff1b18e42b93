import { type Actor, actorName, type MemberActor } from '../../access/actor.ts'
import { authorizeMember } from '../../access/authorize.ts'
import { executeAs } from '../../access/execute-as.ts'
import { active, applicationOf } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import type { Outgoing } from '../../events/outgoing.ts'
import { audit } from '../../ledger/audit.ts'
import { type Errors, refuseErrors } from '../../ledger/input-errors.ts'
import { isoTime } from '../../ledger/iso-time.ts'
import { type Plan, refusal, type UnitOfWork } from '../../ledger/ledger.ts'
import { most } from '../../ledger/limits.ts'
import { checkListQuery, type ListQuery, type ListSource } from '../../ledger/listing.ts'
import { type PartOf, readPart } from '../../ledger/read-part.ts'
import { put, unchanged } from '../../ledger/reads.ts'
import { ok, type Result } from '../../ledger/refusal.ts'
import type { ChangeSet, Put, Versioned } from '../../ports/store.ts'
import { type Scene, sceneFrom } from '../../review/execution/scene.ts'
import { marksOf, type TextPlace } from '../../sessions/erasure-marks.ts'
import { findSession } from '../../sessions/find-session.ts'
import { ofSession, type SessionKey, type StoredSession, sessions } from '../../sessions/records.ts'
import type { SessionOf } from '../../sessions/view.ts'
import { fanOut, routingOf } from '../../webhooks/routing/fan-out.ts'
import type { SignalDeps } from '../deps.ts'
import { type MarkTexts, shownMarks } from './mark-texts.ts'

/** A session that a member marks. */
export interface LoadedSession {
  readonly unit: UnitOfWork
  readonly member: MemberActor
  readonly session: Versioned<StoredSession>
  readonly key: SessionKey
  readonly scene: Scene
  /** The change set of marks: with the session's row or a check of it, deliveries and the audit entry. */
  changes(marks: Marks): Omit<ChangeSet, 'tenant'>
}

interface Marks {
  readonly puts?: readonly Put[]
  readonly removes?: ChangeSet['removes']
  readonly events?: readonly Outgoing[]
  /** Members of the session's row that change. */
  readonly session?: Partial<Pick<StoredSession, 'openFlags' | 'reviewState'>>
  readonly action: string
  /** The id of what was made or changed. */
  readonly subject: string
}

/** Runs a command of a member on a session of an active application. */
export async function executeOnSession<T>(
  { ledger, intake }: Pick<SignalDeps, 'ledger' | 'intake'>,
  asked: {
    readonly actor: Actor
    readonly sessionId: string
    readonly of: SessionOf
    readonly errors?: Errors
  },
  plan: (loaded: LoadedSession) => Promise<Plan<T>> | Plan<T>,
): Promise<Result<T>> {
  const { actor, sessionId, of, errors = [] } = asked
  const who = authorizeMember(actor, 'markSessions')
  if (!who.ok) return who
  const malformed = refuseErrors(errors)
  if (malformed) return malformed
  return executeAs<T>(ledger, actor, 'markSessions', async (unit, member) => {
    const found = await findSession(unit, member, sessionId, of.applicationId ?? null)
    if (!found.ok) return refusal(found)
    const session = found.value
    const { tenantId, applicationId } = session.row
    const key: SessionKey = { tenantId, applicationId, sessionId: session.row.sessionId }
    const [routed, applied] = await unit.read([
      routingOf(tenantId),
      applicationOf(tenantId, applicationId),
    ])
    const application = active(applied)
    if (!application.ok) return refusal(application)
    const scene = sceneFrom(unit, routed, applied)
    const changes = (marks: Marks): Omit<ChangeSet, 'tenant'> => {
      const { now, id } = unit
      const { routing } = scene
      const { events = [] } = marks
      const owed = fanOut({ routing, tenantId, events, now, id, intake })
      return {
        puts: [
          ...(marks.session ? [put(sessions, { ...session.row, ...marks.session }, session)] : []),
          ...(marks.puts ?? []),
          ...owed.puts,
        ],
        removes: marks.removes ?? [],
        checks: [
          ...(marks.session ? [] : [unchanged(sessions, session)]),
          unchanged(applications, application.value),
          ...owed.checks,
        ],
        appends: [
          audit(tenantId, {
            at: isoTime(now),
            actor: actorName(actor),
            action: marks.action,
            subject: marks.subject,
            detail: { applicationId },
          }),
        ],
      }
    }
    return plan({ unit, member, session, key, scene, changes })
  })
}

/** A part of what hangs on a session, the latest first. */
export async function partOfSession<Query extends ListQuery, R extends TextPlace, T>(
  { ledger }: Pick<SignalDeps, 'ledger'>,
  asked: {
    readonly actor: Actor
    readonly sessionId: string
    readonly of: SessionOf
    readonly query: Query
  },
  texts: MarkTexts<R>,
  tell: (row: R) => T,
): Promise<Result<PartOf<Query, T>>> {
  const { actor, sessionId, of, query } = asked
  const who = authorizeMember(actor, 'readSessions')
  if (!who.ok) return who
  const part = checkListQuery(query)
  if (!part.ok) return part
  const { tenantId } = who.value
  const reader = {
    read: (reads: Parameters<typeof ledger.read>[1]) => ledger.read(tenantId, reads),
  }
  const session = await findSession(reader, who.value, sessionId, of.applicationId ?? null)
  if (!session.ok) return session
  const [marked] = await reader.read([marksOf(tenantId)])
  const { collection } = texts
  const source: ListSource<R, T> = {
    collection,
    where: ofSession(session.value.row),
    by: 'key',
    newest: true,
    // Keys are those of the session, then the row's own.
    cursor: collection.key.at(-1) as keyof R & string,
    piece: most.pageSize + 1,
    tell: async (rows) => {
      const all = rows.map(({ row }) => row)
      return (await shownMarks(reader, texts, marked, all)).map(tell)
    },
  }
  return ok(await readPart(source, query, reader.read))
}

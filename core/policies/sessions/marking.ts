import { takingData } from '../../applications/load.ts'
import type { Versioned } from '../../base/ports/store.ts'
import type { Erasing, TextPlace } from '../../content/erasure-marks.ts'
import { namedSession } from '../../content/find-session.ts'
import { ofSession, type SessionKey, type StoredSession, sessions } from '../../content/records.ts'
import type { NamedSession } from '../../content/view.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { most } from '../../kernel/ledger/limits.ts'
import type { ListSource } from '../../kernel/ledger/listing.ts'
import { readPart } from '../../kernel/ledger/read-part.ts'
import { unchanged } from '../../kernel/ledger/reads.ts'
import type { Source } from '../../kernel/list.ts'
import { peek, rowUnder } from '../../kernel/query.ts'
import type { Lookup, Unit } from '../../kernel/unit.ts'
import type { Scene } from '../../review/execution/scene.ts'
import { routings } from '../../webhooks/records.ts'
import { eventTime } from '../../webhooks/routing/event-time.ts'
import { type MarkTexts, shownMarks } from './mark-texts.ts'

/** What a mark may be refused with, whatever it is. */
export const markRefusals = ['not_found', 'ambiguous_session', 'application_gone'] as const
type Refusals = (typeof markRefusals)[number]

/** A session that a member marks. */
export interface MarkedSession {
  readonly session: Versioned<StoredSession>
  readonly key: SessionKey
  readonly scene: Scene
  readonly erasing: Erasing
}

/** The session that a member marks, of an application that takes data. */
export async function sessionToMark(
  unit: Unit<MemberActor, Refusals>,
  named: NamedSession,
): Promise<MarkedSession> {
  const { tenantId } = unit.by
  const { session, erasing } = await namedSession(unit, named)
  const { applicationId, sessionId } = session.row
  const { application, routing } = await unit.ask({
    application: takingData(tenantId, applicationId),
    routing: peek(rowUnder(routings, [tenantId]), 'the fan-out of an event checks it'),
  })
  const scene = { unit, routing, application, at: eventTime(routing, unit.now) }
  return { session, key: { tenantId, applicationId, sessionId }, scene, erasing }
}

/** Records a mark: changes the session, or checks that it did not change, and notes the act. */
export function noteMark(
  unit: Unit<MemberActor, never>,
  { session, key: { applicationId } }: MarkedSession,
  mark: {
    readonly action: string
    /** The id of what was made or changed. */
    readonly subject: string
    readonly change?: Partial<Pick<StoredSession, 'openFlags' | 'reviewState'>>
  },
): void {
  const { action, subject, change } = mark
  if (change) unit.put(sessions, { ...session.row, ...change }, session)
  else unit.include({ checks: [unchanged(sessions, session)] })
  unit.audit(action, subject, { applicationId })
}

/** What hangs on a session, the latest first. */
export async function marksOnSession<R extends TextPlace, T>(
  lookup: Lookup<MemberActor, Refusals>,
  named: NamedSession,
  texts: MarkTexts<R>,
  show: (row: R) => T,
): Promise<Source<T>> {
  const { session, erasing } = await namedSession(lookup, named)
  const { collection } = texts
  const source: ListSource<R, T> = {
    collection,
    where: ofSession(session.row),
    by: 'key',
    newest: true,
    // Keys are those of the session, then the row's own.
    cursor: collection.key.at(-1) as keyof R & string,
    piece: most.pageSize + 1,
    async tell(rows) {
      const all = rows.map(({ row }) => row)
      return (await shownMarks(lookup, texts, erasing, all)).map(show)
    },
  }
  return { part: (query, read) => readPart(source, query, read) }
}

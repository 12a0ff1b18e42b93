import { ofApplications } from '../../applications/hidden.ts'
import { applicationOf } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import type { Found, Read, Where } from '../../base/ports/store.ts'
import { hiddenTexts, markedReader } from '../../content/erasure-marks.ts'
import { changeReads, changesIn } from '../../kernel/ledger/change-counts.ts'
import type { Ledger } from '../../kernel/ledger/ledger.ts'
import { cursorLength, longest } from '../../kernel/ledger/limits.ts'
import {
  countOf,
  type ListQuery,
  type ListSource,
  listingOf,
  type ScannedListing,
} from '../../kernel/ledger/listing.ts'
import { emptyListing, listingWithout } from '../../kernel/ledger/listing-without.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { scannedPart } from '../../kernel/ledger/scanned-part.ts'
import { sharedPieces } from '../../kernel/ledger/shared-pieces.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import {
  flag,
  line,
  type Named,
  type OutsOf,
  oneOf,
  type RowsOf,
  text,
  time,
  whole,
} from '../../kernel/shape.ts'
import { optional, orNull, usual } from '../../kernel/wrap.ts'
import { readAs } from '../../organizations/access/read-as.ts'
import { members } from '../../organizations/access/records.ts'
import { routings } from '../../webhooks/records.ts'
import { eventTime } from '../../webhooks/routing/event-time.ts'
import { routingOf } from '../../webhooks/routing/fan-out.ts'
import { caseFilter } from '../inputs.ts'
import { followUpState, type ReviewCase, reviewCases } from '../records.ts'
import { caseMembers } from '../shapes.ts'
import { shownCases } from '../shown-cases.ts'
import { dueBy, type OpenNow, openNow, openOf, queueChanges } from './open-cases.ts'
import { titleLength, titleOf, toolOf } from './title.ts'
import type { QueueTools } from './tools.ts'

const { stream } = operationsWith<QueueTools>()
const right = 'readCases'

type Reader = (reads: readonly Read[]) => Promise<readonly Found[]>

const minuteMs = 60_000

/** Cases that one read brings: each may hold megabytes, of which a row shows a title. */
const piece = 10

const { reviewCaseId, applicationId, sessionId, reviewTier, reasonCategory } = caseMembers
const { state, decision, createdAt, dueAt, expiresAt, requestedBy } = caseMembers
const { caseVersion, eventSequence } = caseMembers

const queued = {
  reviewCaseId,
  applicationId,
  /** Null once the application is gone. */
  applicationName: orNull(text(longest.name)),
  sessionId,
  /** Words of the application, not of the service; null where it gave none, and after an erasure. */
  title: orNull(text(titleLength)),
  /** The tool that it wants to call, as the application names it; null as `title` is. */
  tool: orNull(text(titleLength)),
  reviewTier,
  reasonCategory,
  state,
  decision,
  createdAt,
  dueAt,
  expiresAt,
  /** It is open, and `dueAt` has come. */
  overdue: flag,
  /** Of the last question: whether its answer is there. Null where none was asked, or it ended without an answer. */
  followUp: orNull(followUpState),
  assignee: orNull(object({ memberId: line(longest.id), name: orNull(text(longest.name)) })),
  /** Since when it has been the assignee's turn: claimed, handed over, or answered then, and nothing done since. */
  idleSince: orNull(time),
  requestedBy,
  caseVersion,
  eventSequence,
}
/** A case in the queue of its reviewers, without what they are shown. */
export interface QueuedCase extends OutsOf<typeof queued> {}
const queuedShape: Named<typeof queued, QueuedCase> = object(queued, 'QueuedCase')

const filter = {
  state: usual(state, 'open'),
  assignee: caseFilter.assignee,
  tier: caseFilter.tier,
  applicationId: caseFilter.applicationId,
  overdue: optional(flag),
  followUp: optional(followUpState),
  /** It has been the assignee's turn for so long, up to a week. */
  idleMinutes: optional(whole(1, 10_080)),
  sort: optional(oneOf(['dueAt', '-dueAt'])),
}

/**
 * The organization's cases by when they are due, the soonest first, but for those of applications that are being deleted.
 * State and assignee are found in an index, in the order of the list; the other filters are tried in it, as
 * `scannedPart` says.
 */
export const listQueue = stream({
  name: 'portal.listQueue',
  doc: 'List cases for their reviewers, by when they are due',
  right,
  filter,
  items: 'queue',
  item: queuedShape,
  /** The cursor of the last row that filters were tried on; null where they were on all. */
  beside: { scannedTo: orNull(line(cursorLength)) },
  refuses: [],
  async open({ by, read, tools }, asked, query): Promise<ScannedListing<QueuedCase>> {
    const { ledger, clock, kept } = tools
    const { tenantId, memberId } = by
    const now = clock.now()
    const [routed, ...changed] = await read([
      routingOf(tenantId),
      ...changeReads(queueChanges, tenantId),
    ])
    const seen = { changes: changesIn(changed), now }
    const at = eventTime(one(routings, routed), now)
    const assigneeId = assigneeOf(asked.assignee, memberId)
    // Cases end early while events are timed ahead of the clock.
    const isEarly = at > now
    const key = ['queue', tenantId, isEarly, { ...asked, assignee: assigneeId }, query]
    const part = await kept.of(
      key,
      seen,
      async () => {
        const open = await openNow(kept, { ...seen, tenantId }, read)
        const place = { tenantId, assigneeId, at, asked: now, ...open }
        const list = await partOf(ledger, place, asked, query, read)
        const answer = { ...list, pieces: sharedPieces(list.pieces) }
        // Each moment another case may have been idle for long enough.
        const passes = isEarly || asked.idleMinutes !== undefined
        return { answer, until: passes ? 0 : open.until }
      },
      'page' in query ? query.pageSize : query.limit,
    )
    const standing = readAs(ledger, by, right)
    return { ...part, pieces: part.pieces(() => standing([])) }
  },
})

interface Place extends OpenNow {
  readonly tenantId: string
  /** As `assigneeOf`. */
  readonly assigneeId: string | null | undefined
  /** The time of events. */
  readonly at: number
  /** Ms, when the list was asked for; `now` may be earlier. */
  readonly asked: number
}

async function partOf(
  ledger: Pick<Ledger, 'read'>,
  place: Place,
  asked: RowsOf<typeof filter>,
  query: ListQuery,
  read: Reader,
): Promise<ScannedListing<QueuedCase>> {
  const { tenantId, now, at, hidden } = place
  const isHidden = asked.applicationId !== undefined && hidden.includes(asked.applicationId)
  if (isHidden || (asked.overdue && asked.state !== 'open'))
    return { ...emptyListing<QueuedCase>(), scannedTo: null }
  const marked = markedReader((reads) => ledger.read(tenantId, reads), tenantId)
  const named = namesOf(tenantId, read)
  const list: Omit<ListSource<ReviewCase, QueuedCase>, 'by'> = {
    collection: reviewCases,
    where: whereOf(asked, place),
    newest: asked.sort === '-dueAt',
    cursor: 'duePlace',
    piece,
    async tell(rows) {
      const all = rows.map(({ row }) => row)
      const erased = await hiddenTexts({ read }, marked.erasing(), all)
      const shown = await shownCases(all, erased, at, read)
      const cases = shown.filter((each) => each.state === asked.state)
      const nameOf = await named(cases)
      return cases.map((review) => rowOf(review, nameOf, now))
    },
  }
  const source = await scannedPart(list, query, read)
  const { scannedTo } = source
  if (hidden.length === 0 || asked.applicationId !== undefined) {
    const [counted] = await read([countOf(source)])
    return { ...listingOf(source, query, counted, marked.read), scannedTo }
  }
  const omitted = ofApplications(source, hidden, read)
  return { ...(await listingWithout(source, omitted, query, read, marked.read)), scannedTo }
}

/** Whose cases are asked for: null for nobody's, undefined for everybody's. */
function assigneeOf(asked: string | undefined, memberId: string): string | null | undefined {
  return asked === 'me' ? memberId : asked === 'none' ? null : asked
}

function whereOf(asked: RowsOf<typeof filter>, { assigneeId, ...place }: Place): Where {
  const { state, tier, applicationId, overdue, followUp, idleMinutes } = asked
  const isOpen = state === 'open'
  return [
    ...(isOpen
      ? openOf(place.tenantId, place)
      : ([
          ['tenantId', '=', place.tenantId],
          ['state', '=', state],
        ] as const)),
    ...(assigneeId === undefined ? [] : [['assigneeId', '=', assigneeId] as const]),
    ...(tier === undefined ? [] : [['reviewTier', '=', tier] as const]),
    ...(applicationId === undefined ? [] : [['applicationId', '=', applicationId] as const]),
    ...(followUp === undefined ? [] : [['followUp', '=', followUp] as const]),
    ...(idleMinutes === undefined
      ? []
      : [['idleSince', '<=', place.asked - idleMinutes * minuteMs] as const]),
    ...(overdue === undefined || !isOpen
      ? []
      : [['duePlace', overdue ? '<' : '>=', dueBy(place.now)] as const]),
  ]
}

/** The name of an application or a member; null for one that is gone. */
type NameOf = (id: string) => string | null

/** Reads the names of what cases name, each once. */
function namesOf(
  tenantId: string,
  read: Reader,
): (cases: readonly ReviewCase[]) => Promise<NameOf> {
  const names = new Map<string, string | null>()
  const unknown = (ids: readonly (string | null)[]) =>
    [...new Set(ids)].filter((id) => id !== null).filter((id) => !names.has(id))
  return async (cases) => {
    const apps = unknown(cases.map(({ applicationId }) => applicationId))
    const people = unknown(cases.map(({ assigneeId }) => assigneeId))
    if (apps.length + people.length > 0) {
      const found = await read([
        ...apps.map((id) => applicationOf(tenantId, id)),
        ...people.map((id) => get(members, [tenantId, id])),
      ])
      for (const [n, id] of apps.entries())
        names.set(id, one(applications, found[n])?.row.name ?? null)
      for (const [n, id] of people.entries())
        names.set(id, one(members, found[apps.length + n])?.row.name ?? null)
    }
    return (id) => names.get(id) ?? null
  }
}

function rowOf(review: ReviewCase, nameOf: NameOf, now: number): QueuedCase {
  const { assigneeId, presentation } = review
  return queuedShape.show({
    ...review,
    applicationName: nameOf(review.applicationId),
    title: titleOf(presentation),
    tool: toolOf(presentation),
    overdue: review.state === 'open' && review.dueAt <= now,
    assignee: assigneeId === null ? null : { memberId: assigneeId, name: nameOf(assigneeId) },
  })
}

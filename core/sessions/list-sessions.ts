import { hiddenOf, hiddenReads, ofApplications } from '../applications/hidden.ts'
import type { Where } from '../base/ports/store.ts'
import { placeOf, type StoredSession, sessions } from '../content/records.ts'
import { type SessionView, sessionFilter, sessionShape } from '../content/view.ts'
import { cursorLength } from '../kernel/ledger/limits.ts'
import {
  countOf,
  type ListSource,
  listingOf,
  type ScannedListing,
} from '../kernel/ledger/listing.ts'
import { emptyListing, listingWithout } from '../kernel/ledger/listing-without.ts'
import { scannedPart } from '../kernel/ledger/scanned-part.ts'
import { operationsWith } from '../kernel/operation.ts'
import { line, type RowsOf } from '../kernel/shape.ts'
import { orNull } from '../kernel/wrap.ts'
import { readAs } from '../organizations/access/read-as.ts'
import type { PayloadDeps } from './read-content.ts'
import { sessionViews } from './read-sessions.ts'

const { stream } = operationsWith<PayloadDeps>()

/** Sessions that one read brings. */
const piece = 50

/**
 * The tenant's sessions, by start, but for those of applications that are being deleted (decision 103). One filter is
 * found by its index; of several filters, or of a range of quality, so many sessions are tried as `scannedPart` says.
 */
export const listSessions = stream({
  name: 'sessions.list',
  doc: 'List sessions, the latest first',
  right: 'readSessions',
  filter: sessionFilter,
  items: 'sessions',
  item: sessionShape,
  /** The cursor of the last row that filters were tried on; null where they were on all. */
  beside: { scannedTo: orNull(line(cursorLength)) },
  refuses: [],
  async open({ by, read, tools }, filter, query): Promise<ScannedListing<SessionView>> {
    const { tenantId } = by
    const { ledger } = tools
    const readPiece = readAs(ledger, by, 'readSessions')
    const hidden = hiddenOf(await read(hiddenReads(tenantId)))
    const { applicationId } = filter
    if (applicationId !== undefined && hidden.includes(applicationId))
      return { ...emptyListing<SessionView>(), scannedTo: null }
    const list: Omit<ListSource<StoredSession, SessionView>, 'by'> = {
      collection: sessions,
      where: whereOf(tenantId, filter),
      newest: filter.sort !== 'startedAt',
      cursor: 'place',
      piece,
      tell: (rows) =>
        sessionViews(
          (reads) => ledger.read(tenantId, reads),
          tenantId,
          rows.map(({ row }) => row),
        ),
    }
    const source = await scannedPart(list, query, read)
    const { scannedTo } = source
    if (applicationId !== undefined || hidden.length === 0) {
      const [counted] = await read([countOf(source)])
      return { ...listingOf(source, query, counted, readPiece), scannedTo }
    }
    const omitted = ofApplications(source, hidden, read)
    return { ...(await listingWithout(source, omitted, query, read, readPiece)), scannedTo }
  },
})

function whereOf(tenantId: string, filter: RowsOf<typeof sessionFilter>): Where {
  const { applicationId, status, origin, from, until, flagged, openReview, dataSubjectId } = filter
  const { minQuality, maxQuality } = filter
  const is = <T>(value: T | undefined, condition: (value: T) => Where[number]) =>
    value === undefined ? [] : [condition(value)]
  return [
    ['tenantId', '=', tenantId],
    ...is(applicationId, (id) => ['applicationId', '=', id]),
    ...is(dataSubjectId, (id) => ['dataSubjectId', '=', id]),
    ...is(status, (each) => ['status', '=', each]),
    ...is(origin, (each) => ['origin', '=', each]),
    // Places begin with the start, and are in the order of each index.
    ...is(from, (at) => ['place', '>=', placeOf(at)]),
    ...is(until, (at) => ['place', '<', placeOf(at)]),
    ...is(flagged, (flag) => ['flagged', '=', flag ? 1 : 0]),
    ...is(openReview, (flag) => ['underReview', '=', flag ? 1 : 0]),
    ...is(minQuality, (least) => ['quality', '>=', Math.ceil(least * 10)]),
    ...is(maxQuality, (most) => ['quality', '<=', Math.floor(most * 10)]),
  ]
}

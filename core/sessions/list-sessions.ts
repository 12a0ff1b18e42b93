import { hiddenOf, hiddenReads, ofApplications } from '../applications/hidden.ts'
import type { Read, Where } from '../base/ports/store.ts'
import { placeOf, type StoredSession, sessions } from '../content/records.ts'
import { isPseudonym } from '../content/vault/pseudonym.ts'
import type { SessionFilter, SessionView } from '../content/view.ts'
import { authorizeMember } from '../kernel/callers/authorize.ts'
import { checkListQuery, countOf, type ListSource, listingOf } from '../kernel/ledger/listing.ts'
import { emptyListing, listingWithout } from '../kernel/ledger/listing-without.ts'
import { ok } from '../kernel/ledger/refusal.ts'
import { scannedPart } from '../kernel/ledger/scanned-part.ts'
import { readAs } from '../organizations/access/read-as.ts'
import type { IngestDeps } from './deps.ts'
import { sessionViews } from './queries.ts'
import type { IngestUseCases } from './use-cases.ts'

/** Sessions that one read brings. */
const piece = 50

/**
 * The tenant's sessions, by start, but for those of applications that are being deleted (decision 103). One filter is
 * found by its index; of several filters, or of a range of quality, so many sessions are tried as `scannedPart` says.
 */
export function createListSessions(deps: IngestDeps): IngestUseCases['listSessions'] {
  const { ledger, vault } = deps
  return async (actor, filter, query) => {
    const member = authorizeMember(actor, 'readSessions')
    if (!member.ok) return member
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const { tenantId } = member.value
    const given = filter.dataSubjectId
    const subject =
      given === undefined || isPseudonym(given)
        ? given
        : (await vault.pseudonyms(tenantId)).subjectOf(given).subjectId
    const read = (reads: readonly Read[]) => ledger.read(tenantId, reads)
    const readPiece = readAs(ledger, member.value, 'readSessions')
    const hidden = hiddenOf(await read(hiddenReads(tenantId)))
    const { applicationId } = filter
    if (applicationId !== undefined && hidden.includes(applicationId))
      return ok({ ...emptyListing<SessionView>(), scannedTo: null })
    const list: Omit<ListSource<StoredSession, SessionView>, 'where' | 'by'> = {
      collection: sessions,
      newest: filter.sort !== 'startedAt',
      cursor: 'place',
      piece,
      tell: (rows) =>
        sessionViews(
          deps,
          tenantId,
          rows.map(({ row }) => row),
        ),
    }
    const where = whereOf(tenantId, { ...filter, ...(subject && { dataSubjectId: subject }) })
    const source = await scannedPart({ ...list, where }, query, read)
    const { scannedTo } = source
    if (applicationId !== undefined || hidden.length === 0) {
      const [counted] = await read([countOf(source)])
      return ok({ ...listingOf(source, query, counted, readPiece), scannedTo })
    }
    const omitted = ofApplications(source, hidden, read)
    const listing = await listingWithout(source, omitted, query, read, readPiece)
    return ok({ ...listing, scannedTo })
  }
}

function whereOf(tenantId: string, filter: SessionFilter): Where {
  const { applicationId, status, origin, from, until, flagged, openReview, dataSubjectId } = filter
  const { minQuality, maxQuality } = filter
  return [
    ['tenantId', '=', tenantId],
    ...(applicationId === undefined ? [] : [['applicationId', '=', applicationId] as const]),
    ...(dataSubjectId === undefined ? [] : [['dataSubjectId', '=', dataSubjectId] as const]),
    ...(status === undefined ? [] : [['status', '=', status] as const]),
    ...(origin === undefined ? [] : [['origin', '=', origin] as const]),
    // Places begin with the start, and are in the order of each index.
    ...(from === undefined ? [] : [['place', '>=', placeOf(from)] as const]),
    ...(until === undefined ? [] : [['place', '<', placeOf(until)] as const]),
    ...(flagged === undefined ? [] : [['flagged', '=', flagged ? 1 : 0] as const]),
    ...(openReview === undefined ? [] : [['underReview', '=', openReview ? 1 : 0] as const]),
    ...(minQuality === undefined ? [] : [['quality', '>=', Math.ceil(minQuality * 10)] as const]),
    ...(maxQuality === undefined ? [] : [['quality', '<=', Math.floor(maxQuality * 10)] as const]),
  ]
}

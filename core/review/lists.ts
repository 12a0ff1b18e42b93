import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { hiddenOf, hiddenReads, ofApplications } from '../applications/hidden.ts'
import type { Clock } from '../base/ports/clock.ts'
import type { Found, Read, Where } from '../base/ports/store.ts'
import { hiddenTexts, markedReader } from '../content/erasure-marks.ts'
import type { MemberActor } from '../kernel/callers/actor.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import { countOf, type Listing, type ListSource, listingOf } from '../kernel/ledger/listing.ts'
import { listingWithout } from '../kernel/ledger/listing-without.ts'
import { pinnedIndex } from '../kernel/ledger/pinned-index.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import { ok, type Result } from '../kernel/ledger/refusal.ts'
import { operationsWith } from '../kernel/operation.ts'
import type { RowsOf } from '../kernel/shape.ts'
import { readAs } from '../organizations/access/read-as.ts'
import { memberOf, memberStanding } from '../organizations/access/standing.ts'
import { attemptPiece, keptAttempts } from '../outbox/attempt-log.ts'
import { type AttemptRecord, attempts, messages } from '../outbox/records.ts'
import { routings } from '../webhooks/records.ts'
import { eventTime } from '../webhooks/routing/event-time.ts'
import { routingOf } from '../webhooks/routing/fan-out.ts'
import { callbackIdOf } from './callback/callback-id.ts'
import type { ReviewHost } from './deps.ts'
import { caseIn, caseReads } from './execution/find-case.ts'
import { caseFilter } from './inputs.ts'
import { caseView } from './present-case.ts'
import { anyLapsed, lapsedAt } from './queue/open-cases.ts'
import { type ReviewCase, reviewCases } from './records.ts'
import { hasOwnKey, openOutcome } from './sealing.ts'
import {
  attemptShape,
  type CallbackAttemptView,
  type CaseRow,
  caseMembers,
  caseRowShape,
} from './shapes.ts'
import { shownCases } from './shown-cases.ts'

/** What the lists of cases need of the host. */
export interface CaseListTools extends Pick<ReviewHost, 'ingestUrl' | 'sealer'> {
  readonly ledger: Ledger
  readonly clock: Clock
}

/** With which a member is refused whose current row lacks the right. */
const standingCodes = ['authentication_required', 'forbidden'] as const
type StandingCode = (typeof standingCodes)[number]

const { stream } = operationsWith<CaseListTools>()
const right = 'readCases'

/** Cases that one read brings: each may hold megabytes, and decoding them holds the event loop. */
const piece = 4

/**
 * The organization's cases for its reviewers, newest first, but for those of applications that are being deleted
 * (decision 103). Cases past their end are shown as expired, those of somebody who is being erased as cancelled, and
 * neither are among the open ones.
 */
export const listCases = stream({
  name: 'reviewCases.list',
  doc: 'List cases, newest first',
  right,
  filter: caseFilter,
  items: 'reviewCases',
  item: caseRowShape,
  refuses: standingCodes,
  async open({ by, tools, orRefuse }, filter, query): Promise<Listing<CaseRow>> {
    const { ledger, clock } = tools
    const { tenantId, memberId } = by
    const read = (reads: readonly Read[]) => ledger.read(tenantId, reads)
    const marked = markedReader(readAs(ledger, by, right), tenantId)
    const now = clock.now()
    const first = [routingOf(tenantId), lapsedAt(tenantId, now), ...hiddenReads(tenantId)]
    const [routed, lapsed, ...deleted] = orRefuse(await readOnceAs(ledger, by, first))
    const at = eventTime(one(routings, routed), now)
    const source: ListSource<ReviewCase, CaseRow> = {
      collection: reviewCases,
      ...placeOf(tenantId, memberId, filter, anyLapsed(lapsed) ? now : null),
      newest: true,
      cursor: 'reviewCaseId',
      piece,
      tell: async (rows) => {
        const all = rows.map(({ row }) => row)
        const erased = await hiddenTexts({ read }, marked.erasing(), all)
        const cases = await shownCases(all, erased, at, read)
        return cases
          .filter(({ state }) => filter.state === undefined || state === filter.state)
          .map((review) => {
            const { presentation, ...row } = caseView(review, by, tools)
            return filter.include === 'presentation' ? { ...row, presentation } : row
          })
      },
    }
    const hidden = hiddenOf(deleted)
    if (hidden.length === 0) {
      const [counted] = await read([countOf(source)])
      return listingOf(source, query, counted, marked.read)
    }
    const omitted = ofApplications(source, hidden, read)
    return listingWithout(source, omitted, query, read, marked.read)
  },
})

/** The attempts of seven days to send a case's outcome callback, newest first, for members who may read the case. */
export const listCallbackAttempts = stream({
  name: 'reviewCases.listCallbackAttempts',
  doc: 'List the attempts of seven days to send the outcome callback, newest first',
  right,
  filter: { reviewCaseId: caseMembers.reviewCaseId },
  items: 'attempts',
  item: attemptShape,
  refuses: [...standingCodes, 'not_found'],
  async open(lookup, { reviewCaseId }, query): Promise<Listing<CallbackAttemptView>> {
    const { by, tools, orRefuse } = lookup
    const { ledger, clock, sealer } = tools
    const began = orRefuse(await readOnceAs(ledger, by, caseReads(by, reviewCaseId)))
    const found = await caseIn(lookup, began)
    if (!found) return lookup.refuse('not_found', 'no such review case')
    const { isErased, was } = found
    const { row: review } = was
    // An open case owes no callback, and no message has this id.
    const callbackId = review.state === 'open' ? '' : callbackIdOf(review)
    const read = readAs(ledger, by, right)

    async function digestOfBody(): Promise<string | null> {
      if (isErased || review.presentation === null) return null
      const [sent] = await read([get(messages, [callbackId])])
      const message = one(messages, sent)
      if (!message || hasOwnKey(message.row.body)) return null
      return bytesToHex(sha256(openOutcome(sealer, message.row)))
    }

    const source: ListSource<AttemptRecord, CallbackAttemptView> = {
      collection: attempts,
      where: [
        ['endpointId', '=', review.applicationId],
        ['messageId', '=', callbackId],
        keptAttempts(clock.now()),
      ],
      by: 'byMessage',
      newest: true,
      cursor: 'attemptId',
      piece: attemptPiece,
      tell: async (rows) => {
        const bodySha256 = await digestOfBody()
        return rows.map(({ row }) =>
          attemptShape.show({ ...row, callbackId: row.messageId, bodySha256 }),
        )
      },
    }
    const [counted] = await lookup.read([countOf(source)])
    return listingOf(source, query, counted, read)
  },
})

/** Reads as a member, as long as their current row has the right; a guest of the sandbox has no row in its tenant. */
async function readOnceAs(
  ledger: Ledger,
  member: MemberActor,
  reads: readonly Read[],
): Promise<Result<readonly Found[], StandingCode>> {
  const own = member.guest ? [] : [memberOf(member)]
  const found = await ledger.read(member.tenantId, [...own, ...reads])
  const standing = member.guest ? ok(null) : memberStanding(member, right, found[0])
  return standing.ok ? ok(found.slice(own.length)) : (standing as Result<never, StandingCode>)
}

/** `openAfter`, ms: open cases are only those that expire later; null where none is past its end. */
function placeOf(
  tenantId: string,
  memberId: string,
  { state, assignee, tier, applicationId, sessionId }: RowsOf<typeof caseFilter>,
  openAfter: number | null,
): { readonly where: Where; readonly by: string } {
  const assigneeId = assignee === 'me' ? memberId : assignee === 'none' ? null : assignee
  const isOpen = state === 'open' && openAfter !== null
  const where: Where = [
    ['tenantId', '=', tenantId],
    ...(state === undefined ? [] : [['state', '=', state] as const]),
    ...(isOpen ? [['expiresAt', '>', openAfter] as const] : []),
    ...(assigneeId === undefined ? [] : [['assigneeId', '=', assigneeId] as const]),
    ...(tier === undefined ? [] : [['reviewTier', '=', tier] as const]),
    ...(applicationId === undefined ? [] : [['applicationId', '=', applicationId] as const]),
    ...(sessionId === undefined ? [] : [['sessionId', '=', sessionId] as const]),
  ]
  // A session has few cases, whatever else is asked of them.
  return { where, by: sessionId === undefined ? pinnedIndex(reviewCases, where) : 'bySession' }
}

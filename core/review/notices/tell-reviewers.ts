import { hiddenOf, hiddenReads } from '../../applications/hidden.ts'
import type { Put } from '../../base/ports/store.ts'
import { permissionsOf } from '../../kernel/callers/authorize.ts'
import { mostCounted } from '../../kernel/ledger/page.ts'
import { everyRow, list, many } from '../../kernel/ledger/reads.ts'
import type { Post } from '../../kernel/mail/post.ts'
import { handler, type WorkHandler, type WorkUnit } from '../../kernel/work/handler.ts'
import { schedule } from '../../kernel/work/records.ts'
import { type Member, members } from '../../organizations/access/records.ts'
import { openOf } from '../queue/open-cases.ts'
import { type ReviewCase, reviewCases } from '../records.ts'
import { judgeNotice, type Reviewer, type Untold } from './machine.ts'
import { reviewNotices, usualNotices } from './records.ts'
import { waitingLetter } from './waiting-letter.ts'

const kind = 'reviewCase.notice'

/** Tiers whose cases are told by mail; one of `standard` has a day. */
const toldTiers = ['urgent', 'high'] as const
/** Cases of a tier that a mail names: each may hold megabytes, which are read for it. */
const named = 5

/** What the mails need of the host. */
export interface NoticeHost {
  readonly post: Post
  /** Where the pages are, without a slash at the end. */
  readonly portalUrl: string
}

/** The puts that have reviewers told of a case that opens; none without a mailer. */
export function noticePuts(
  { post }: { readonly post?: Pick<Post, 'sends'> },
  { reviewTier, reviewCaseId: ref, tenantId, applicationId }: ReviewCase,
  now: number,
): readonly Put[] {
  if (!post?.sends || !toldTiers.some((tier) => tier === reviewTier)) return []
  return [schedule({ kind, ref, tenantId, applicationId, due: now })]
}

/** A reviewer as they are told: their row and their notices. */
interface Told extends Reviewer {
  readonly member: Member
}

/** Tells a case that nobody has claimed to those who may review it, by mail (interface, Notices). */
export function createTelling({ portalUrl }: NoticeHost): WorkHandler {
  return handler<Untold | null>({
    kind,
    async run(unit, { tenantId, ref, state }) {
      const { was } = await unit.ask({ was: reviewCases.get(ref) })
      if (was?.row.state !== 'open' || was.row.assigneeId !== null) return null
      if (unit.now >= was.row.expiresAt) return null
      const { reviewers, rows } = await reviewersOf(unit, tenantId, was.row)
      const { mail, untold, next } = judgeNotice(reviewers, state, unit.now)
      if (mail.length > 0) {
        const waiting = await waitingIn(unit, tenantId)
        for (const { memberId, member, count } of mail) {
          const { cases, total } = waitingFor(waiting, memberId)
          unit.mail(waitingLetter(member.email, { cases, total }, portalUrl))
          const before = rows.get(memberId)
          const { reviewWaiting } = before?.row ?? usualNotices
          const after = { reviewWaiting, lastAt: unit.now, count: count + 1 }
          unit.put(reviewNotices, { tenantId, memberId, ...after }, before)
        }
      }
      return { next, state: untold }
    },
  })
}

/** Active members who may review this case and are told of cases by mail, with what they were told. */
async function reviewersOf(unit: WorkUnit, tenantId: string, { requestedBy }: ReviewCase) {
  const [active, told] = await unit.read([
    list(members, {
      by: 'byStatus',
      where: [
        ['tenantId', '=', tenantId],
        ['status', '=', 'Active'],
      ],
      take: everyRow,
    }),
    list(reviewNotices, { where: [['tenantId', '=', tenantId]], take: everyRow }),
  ])
  const rows = new Map(many(reviewNotices, told).map((each) => [each.row.memberId, each]))
  const reviewers = many(members, active).flatMap(({ row: member }): readonly Told[] => {
    const { memberId, role, granted } = member
    const { reviewWaiting, lastAt, count } = rows.get(memberId)?.row ?? usualNotices
    const mayReview = permissionsOf(role, granted).includes('Review Cases')
    if (!mayReview || !reviewWaiting || memberId === requestedBy) return []
    return [{ memberId, lastAt, count, member }]
  })
  return { reviewers, rows }
}

interface Waiting {
  /** The soonest due of each tier. */
  readonly cases: readonly ReviewCase[]
  readonly total: number
}

/** Cases that nobody has claimed, but for those of applications that are being deleted. */
async function waitingIn(unit: WorkUnit, tenantId: string): Promise<Waiting> {
  const where = [
    ...openOf(tenantId, { now: unit.now, lapsed: true }),
    ['assigneeId', '=', null],
  ] as const
  const deleted = await unit.read(hiddenReads(tenantId))
  const hidden = hiddenOf(deleted)
  const found = await unit.read(
    toldTiers.map((tier) =>
      list(reviewCases, {
        by: 'queueOfAssignee',
        where: [...where, ['reviewTier', '=', tier]],
        take: named,
        count: mostCounted,
      }),
    ),
  )
  const all = found.flatMap((each) => many(reviewCases, each).map(({ row }) => row))
  const cases = all.filter(({ applicationId }) => !hidden.includes(applicationId))
  const counted = found.reduce((sum, { total }) => sum + (total ?? 0), 0)
  return { cases, total: counted - (all.length - cases.length) }
}

/** What of them a member may review: not what they asked for themselves. */
function waitingFor({ cases, total }: Waiting, memberId: string): Waiting {
  const own = cases.filter(({ requestedBy }) => requestedBy !== memberId)
  return { cases: own, total: total - (cases.length - own.length) }
}

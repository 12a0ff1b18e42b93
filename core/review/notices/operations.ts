import type { Post } from '../../kernel/mail/post.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { flag, type Named, type OutsOf } from '../../kernel/shape.ts'
import { reviewNotices, usualNotices } from './records.ts'

const { command, reading } = operationsWith<{ readonly post: Pick<Post, 'sends'> }>()

const own = {
  /** The member is told by mail of cases that wait. */
  reviewWaiting: flag,
}
const shown = {
  ...own,
  /** The service sends mails. */
  sends: flag,
}
/** What a member is told by mail. */
export interface NoticesView extends OutsOf<typeof shown> {}
const gives: Named<typeof shown, NoticesView> = object(shown, 'Notices')

/** What the member is told by mail. */
export const readNotices = reading({
  name: 'portal.readNotices',
  doc: 'Read what the member is told by mail',
  right: 'readCases',
  takes: {},
  gives,
  refuses: [],
  async run({ ask, by: { tenantId, memberId }, tools: { post } }) {
    const { saved } = await ask({ saved: reviewNotices.get(tenantId, memberId) })
    const { reviewWaiting } = saved?.row ?? usualNotices
    return gives.show({ reviewWaiting, sends: post.sends })
  },
})

/** Chooses what the member is told by mail. */
export const setNotices = command({
  name: 'portal.setNotices',
  doc: 'Choose what the member is told by mail',
  right: 'reviewCases',
  takes: own,
  gives,
  refuses: [],
  async run(unit, { reviewWaiting }) {
    const { tenantId, memberId } = unit.by
    const { was } = await unit.ask({ was: reviewNotices.get(tenantId, memberId) })
    const before = was?.row ?? { tenantId, memberId, ...usualNotices }
    if (before.reviewWaiting !== reviewWaiting) {
      unit.put(reviewNotices, { ...before, reviewWaiting }, was)
      unit.audit('review_notices.set', memberId, { reviewWaiting })
    }
    return gives.show({ reviewWaiting, sends: unit.tools.post.sends })
  },
})

import { longest } from '../../kernel/ledger/limits.ts'
import { count } from '../../kernel/page.ts'
import { flag, line, type RowsOf, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { orNull } from '../../kernel/wrap.ts'

const id = line(longest.id)

/** What is told to a reviewer by mail; no row: everything, and nothing yet. */
export const reviewNotices = table({
  name: 'reviewNotices',
  members: {
    tenantId: id,
    memberId: id,
    /** Mails about cases that wait. */
    reviewWaiting: flag,
    /** When the last of them was owed; null before the first. */
    lastAt: orNull(time),
    /** How many were owed. */
    count,
  },
  key: ['tenantId', 'memberId'],
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to a member' },
  retain: { bounded: 'one per member' },
})
/** What is told to a reviewer by mail. */
export interface ReviewNotices extends RowsOf<typeof reviewNotices.members> {}

/** What is told to a reviewer who has no row. */
export const usualNotices = { reviewWaiting: true, lastAt: null, count: 0 } as const

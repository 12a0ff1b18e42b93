import { highestScore, longest } from '../../kernel/ledger/limits.ts'
import { recordOf } from '../../kernel/members.ts'
import {
  flag,
  line,
  number,
  type OutsOf,
  type RowsOf,
  text,
  time,
  whole,
} from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { orNull, shownBy } from '../../kernel/wrap.ts'

/** From 0 to `highestScore`. */
const score = shownBy(number, (row) => row, { type: 'number', minimum: 0, maximum: highestScore })

const computed = {
  /** Name of the scorer. */
  scorer: text(longest.name),
  /** Null where there was nothing to compute from. */
  governance: orNull(score),
  components: recordOf(line(longest.name), number, Number.MAX_SAFE_INTEGER),
  qualityMean: orNull(number),
  /** Completed in the window. */
  sessions: whole(0, Number.MAX_SAFE_INTEGER),
}

/** The last computed governance of each application. */
export const applicationScores = table({
  name: 'applicationScores',
  members: {
    tenantId: line(longest.id),
    applicationId: line(longest.id),
    ...computed,
    /** Whether a breach emits an event; false after one until the score is well above the threshold. */
    armed: flag,
    /** That `armed` is about. */
    threshold: orNull(number),
    computedAt: time,
  },
  key: ['tenantId', 'applicationId'],
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { bounded: 'one per application' },
})

/** The last computed governance of an application. */
export interface ApplicationScore extends RowsOf<typeof applicationScores.members> {}

/** The members that readers of scores see. */
export const shownScores = { ...computed, computedAt: orNull(time) }
/** The scores of an application over 7 days. */
export interface ScoresView extends OutsOf<typeof shownScores> {}

import type { Read } from '../../base/ports/store.ts'
import type { SessionKey } from '../../content/records.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { list } from '../../kernel/ledger/reads.ts'
import { showAll } from '../../kernel/members.ts'
import { line, type OutsOf, oneOf, type RowsOf, text, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { orNull, usual } from '../../kernel/wrap.ts'
import { severities } from '../rules/shapes.ts'

/** Why a session needs attention. */
export const flagKinds = ['quality', 'safety', 'privacy', 'compliance', 'other'] as const
/** Why a session needs attention. */
export type FlagKind = (typeof flagKinds)[number]
/** Who raised a flag: a member, a policy rule, or a score under its threshold. */
const flagSources = ['member', 'policy', 'score'] as const
/** Who raised a flag. */
export type FlagSource = (typeof flagSources)[number]

/** The members that a member who flags a session sets. */
export const flagDefinition = {
  flag: oneOf(flagKinds),
  severity: usual(oneOf(severities), 'warning'),
  /** Null where none was given, and after an erasure. */
  note: orNull(text(longest.note)),
}

const id = line(longest.id)

/** The members that readers of a flag see. */
export const shownFlag = {
  flagId: id,
  ...flagDefinition,
  source: oneOf(flagSources),
  /** A member's id; null for policies and scores. */
  raisedBy: orNull(id),
  raisedAt: time,
  clearedBy: orNull(id),
  clearedAt: orNull(time),
}

/** Flags of sessions; of each kind and source one is open at a time. */
export const sessionFlags = table({
  name: 'sessionFlags',
  members: {
    tenantId: id,
    applicationId: id,
    sessionId: id,
    ...shownFlag,
    state: oneOf(['open', 'cleared']),
  },
  key: ['tenantId', 'applicationId', 'sessionId', 'flagId'],
  sealed: ['note'],
  indexes: { byApplication: ['applicationId'] },
  unique: {
    openFlag: {
      on: ['tenantId', 'applicationId', 'sessionId', 'flag', 'source'],
      when: { column: 'state', is: 'open' },
    },
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
})

/** A flag of a session. */
export interface SessionFlag extends RowsOf<typeof sessionFlags.members> {}
/** A flag of a session, as readers get it. */
export interface FlagView extends OutsOf<typeof shownFlag> {}

export function flagView(row: SessionFlag): FlagView {
  return showAll(shownFlag, row)
}

/** The read of the open flag of a kind and source. */
export function openFlagOf(
  { tenantId, applicationId, sessionId }: SessionKey,
  flag: FlagKind,
  source: FlagSource,
): Read {
  return list(sessionFlags, {
    where: [
      ['tenantId', '=', tenantId],
      ['applicationId', '=', applicationId],
      ['sessionId', '=', sessionId],
      ['flag', '=', flag],
      ['source', '=', source],
      ['state', '=', 'open'],
    ],
    take: 1,
  })
}

import { list } from '../../ledger/reads.ts'
import type { Collection, Read } from '../../ports/store.ts'
import type { SessionKey } from '../../sessions/records.ts'
import type { Severity } from '../policy/shapes.ts'

/** Why a session needs attention. */
export const flagKinds = ['quality', 'safety', 'privacy', 'compliance', 'other'] as const
/** Why a session needs attention. */
export type FlagKind = (typeof flagKinds)[number]
/** Who raised a flag: a member, a policy rule, or a score under its threshold. */
export type FlagSource = 'member' | 'policy' | 'score'

/** A flag of a session; of each kind and source one is open at a time. Times are ms. */
export interface SessionFlag {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly flagId: string
  readonly flag: FlagKind
  readonly source: FlagSource
  readonly state: 'open' | 'cleared'
  readonly severity: Severity
  readonly note: string | null
  /** The member's id; null for policies and scores. */
  readonly raisedBy: string | null
  readonly raisedAt: number
  readonly clearedBy: string | null
  readonly clearedAt: number | null
}

export const sessionFlags: Collection<SessionFlag> = {
  name: 'sessionFlags',
  key: ['tenantId', 'applicationId', 'sessionId', 'flagId'],
  columns: {
    tenantId: 'text',
    applicationId: 'text',
    sessionId: 'text',
    flagId: 'text',
    flag: 'text',
    source: 'text',
    state: 'text',
  },
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

import { longest } from '../kernel/ledger/limits.ts'
import { count } from '../kernel/page.ts'
import { line, type RowsOf } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'

const id = line(longest.id)

/** Counts (≥ 1) of open cases whose session is not stored; a session takes its count over when it is stored. */
export const awaitedSessions = table({
  name: 'awaitedSessions',
  members: { tenantId: id, applicationId: id, sessionId: id, openCases: count },
  key: ['tenantId', 'applicationId', 'sessionId'],
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { bounded: 'one per session that open cases name and that is not stored' },
})
/** One of `awaitedSessions`. */
export interface AwaitedSession extends RowsOf<typeof awaitedSessions.members> {}

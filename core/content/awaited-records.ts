import { longest } from '../kernel/ledger/limits.ts'
import { count } from '../kernel/page.ts'
import { line, type RowsOf } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'

const id = line(longest.id)

/** Open review cases of sessions that have not come or were removed, which their first data takes over: at least 1 each. */
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

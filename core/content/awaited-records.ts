import type { Collection } from '../base/ports/store.ts'

/** Open review cases of a session that has not come or was removed, which its first data takes over. */
export interface AwaitedSession {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  /** At least 1. */
  readonly openCases: number
}

export const awaitedSessions: Collection<AwaitedSession> = {
  name: 'awaitedSessions',
  key: ['tenantId', 'applicationId', 'sessionId'],
  columns: { tenantId: 'text', applicationId: 'text', sessionId: 'text' },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { bounded: 'one per session that open cases name and that is not stored' },
}

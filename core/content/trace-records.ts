import type { Collection } from '../base/ports/store.ts'

/** The session of a trace, for spans that name none. */
export interface Trace {
  readonly tenantId: string
  readonly applicationId: string
  /** 32 lower-case hex digits. */
  readonly traceId: string
  readonly sessionId: string
  /** A span named the session; false while it is the trace's own id. */
  readonly named: boolean
}

export const traces: Collection<Trace> = {
  name: 'traces',
  key: ['tenantId', 'applicationId', 'traceId'],
  columns: { tenantId: 'text', applicationId: 'text', traceId: 'text', sessionId: 'text' },
  indexes: {
    byApplication: ['applicationId'],
    bySession: ['tenantId', 'applicationId', 'sessionId'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
}

/** The id of a dissolved session, which names the one that took its steps. */
export interface SessionAlias {
  readonly tenantId: string
  readonly applicationId: string
  readonly alias: string
  readonly sessionId: string
}

export const sessionAliases: Collection<SessionAlias> = {
  name: 'sessionAliases',
  key: ['tenantId', 'applicationId', 'alias'],
  columns: { tenantId: 'text', applicationId: 'text', alias: 'text', sessionId: 'text' },
  indexes: {
    byApplication: ['applicationId'],
    byAlias: ['tenantId', 'alias'],
    bySession: ['tenantId', 'applicationId', 'sessionId'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
}

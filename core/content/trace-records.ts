import { longest } from '../kernel/ledger/limits.ts'
import { flag, line, type RowsOf } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { asItsSession } from './payload-records.ts'

const id = line(longest.id)

/** The sessions of traces, for spans that name none. */
export const traces = table({
  name: 'traces',
  members: {
    tenantId: id,
    applicationId: id,
    /** 32 lower-case hex digits. */
    traceId: id,
    sessionId: id,
    /** A span named the session; false while it is the trace's own id. */
    named: flag,
  },
  key: ['tenantId', 'applicationId', 'traceId'],
  indexes: {
    byApplication: ['applicationId'],
    bySession: ['tenantId', 'applicationId', 'sessionId'],
  },
  ...asItsSession,
})
/** The session of a trace. */
export interface Trace extends RowsOf<typeof traces.members> {}

/** Ids of dissolved sessions, each of which names the one that took its steps. */
export const sessionAliases = table({
  name: 'sessionAliases',
  members: { tenantId: id, applicationId: id, alias: id, sessionId: id },
  key: ['tenantId', 'applicationId', 'alias'],
  indexes: {
    byApplication: ['applicationId'],
    byAlias: ['tenantId', 'alias'],
    bySession: ['tenantId', 'applicationId', 'sessionId'],
  },
  ...asItsSession,
})
/** One of `sessionAliases`. */
export interface SessionAlias extends RowsOf<typeof sessionAliases.members> {}

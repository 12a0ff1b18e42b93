import type { IncomingSession } from './incoming-session.ts'

/** A submitted session with its leaf. */
export interface Leaf {
  readonly session: IncomingSession
  /** Its canonical JSON, as submitted. */
  readonly text: string
  readonly leafHash: string
}

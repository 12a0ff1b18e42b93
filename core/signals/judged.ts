import type { StoredPayload } from '../sessions/payload-records.ts'
import type { StoredStep } from '../sessions/records.ts'
import type { Judgement } from './policy/judge.ts'

/** A step, or a session as a whole, with what was found of it and the content that its case binds. */
export interface Judged {
  readonly judgement: Judgement
  /** Null for what concerns the session. */
  readonly step: Pick<
    StoredStep,
    'stepId' | 'type' | 'name' | 'toolName' | 'model' | 'startedAt'
  > | null
  readonly payloads: readonly Pick<StoredPayload, 'field' | 'bytes' | 'digest'>[]
}

import type { StoredPayload } from '../content/payload-records.ts'
import type { StoredStep } from '../content/records.ts'
import type { Judgement } from './rules/judge.ts'

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

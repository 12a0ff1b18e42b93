import type { ErasureRequestAnswer } from '@countersign/client'

type Reason = ErasureRequestAnswer['reason']

export const reasonWords: Readonly<Record<Reason, string>> = {
  consent_withdrawn: 'Consent was withdrawn',
  no_longer_needed: 'No longer needed',
  objection: 'The person objects',
  unlawful: 'It was unlawful to hold it',
  other: 'Another reason',
}

export const reasons = Object.keys(reasonWords) as readonly Reason[]

export const statusWords: Readonly<Record<ErasureRequestAnswer['status'], string>> = {
  received: 'Received',
  scheduled: 'Under way',
  blocked_by_hold: 'A legal hold keeps it from going on',
  completed: 'Erased',
  rejected: 'Rejected',
}

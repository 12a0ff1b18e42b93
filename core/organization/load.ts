import { refuse } from '../ledger/refusal.ts'

export function noOrganization(): ReturnType<typeof refuse> {
  return refuse('not_found', 'no such organization')
}

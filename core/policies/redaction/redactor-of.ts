import type { Sealer } from '../../base/ports/secrets.ts'
import { hashKeyContext, type RedactionPolicySet } from '../records.ts'
import { createRedactor, type Redactor } from './redact.ts'

/** The redactor of an application's policies; null has none. */
export function redactorOf(set: RedactionPolicySet | null, sealer: Sealer): Redactor {
  if (!set) return createRedactor([], new Uint8Array())
  const key = sealer.open(set.hashKey, hashKeyContext(set.tenantId, set.applicationId))
  return createRedactor(set.policies, key)
}

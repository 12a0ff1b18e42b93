import { applicationView } from '../applications/present.ts'
import { healthsOf, publicKeyFor } from '../applications/queries.ts'
import type { Application } from '../applications/records.ts'
import type { ApplicationView } from '../applications/view.ts'
import { ok, type Result } from '../ledger/refusal.ts'
import type { LifecycleDeps } from './deps.ts'

/** The view of an application that a command returned, with the key that its callback is signed with. */
export async function presentApplication(
  deps: Pick<LifecycleDeps, 'publicKeyOf' | 'ledger'>,
  result: Result<Application>,
): Promise<Result<ApplicationView>> {
  if (!result.ok) return result
  const { value } = result
  const { tenantId } = value
  const [health = null] = await healthsOf(deps, tenantId, [value])
  return ok(applicationView(value, await publicKeyFor(deps, tenantId, [value]), health))
}

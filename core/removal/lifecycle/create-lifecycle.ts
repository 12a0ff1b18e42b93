import type { LifecycleDeps } from './deps.ts'
import { listPoisoned, settlePoison } from './poison.ts'
import { cancelTenantDeletion, requestTenantDeletion } from './tenant-deletion.ts'
import type { DeletionUseCases } from './use-cases.ts'

export function createDeletions(deps: LifecycleDeps): DeletionUseCases {
  return {
    listPoisoned: listPoisoned(deps),
    requeue: settlePoison(deps, 'queued'),
    resolve: settlePoison(deps, 'resolved'),
    requestTenantDeletion: requestTenantDeletion(deps),
    cancelTenantDeletion: cancelTenantDeletion(deps),
  }
}

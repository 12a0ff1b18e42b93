import type { ApplicationUseCases } from '../applications/use-cases.ts'
import { cancelDeletion, requestDeletion } from './deletion.ts'
import type { LifecycleDeps } from './deps.ts'
import { listPoisoned, settlePoison } from './poison.ts'
import { promoteApplication } from './promote.ts'
import { cancelTenantDeletion, requestTenantDeletion } from './tenant-deletion.ts'
import type { DeletionUseCases } from './use-cases.ts'

export function createLifecycle(
  deps: LifecycleDeps,
): Pick<ApplicationUseCases, 'promote' | 'requestDeletion' | 'cancelDeletion'> {
  return {
    promote: promoteApplication(deps),
    requestDeletion: requestDeletion(deps),
    cancelDeletion: cancelDeletion(deps),
  }
}

export function createDeletions(deps: LifecycleDeps): DeletionUseCases {
  return {
    listPoisoned: listPoisoned(deps),
    requeue: settlePoison(deps, 'queued'),
    resolve: settlePoison(deps, 'resolved'),
    requestTenantDeletion: requestTenantDeletion(deps),
    cancelTenantDeletion: cancelTenantDeletion(deps),
  }
}

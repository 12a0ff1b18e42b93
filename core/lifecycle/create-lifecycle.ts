import type { ApplicationUseCases } from '../applications/use-cases.ts'
import { cancelDeletion, requestDeletion } from './deletion.ts'
import type { LifecycleDeps } from './deps.ts'
import { promoteApplication } from './promote.ts'

export function createLifecycle(
  deps: LifecycleDeps,
): Pick<ApplicationUseCases, 'promote' | 'requestDeletion' | 'cancelDeletion'> {
  return {
    promote: promoteApplication(deps),
    requestDeletion: requestDeletion(deps),
    cancelDeletion: cancelDeletion(deps),
  }
}

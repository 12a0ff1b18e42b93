import { createApplication, setOutcomeCallback } from './commands.ts'
import type { ApplicationDeps } from './deps.ts'
import { checkActive, listApplications, readApplication } from './queries.ts'
import { removeOutcomeCallback } from './remove-outcome-callback.ts'
import { rotateCallbackSecret } from './rotate-callback-secret.ts'
import { updateApplication } from './update-application.ts'
import type { ApplicationUseCases } from './use-cases.ts'

export function createApplications(
  ports: ApplicationDeps,
): Omit<ApplicationUseCases, 'promote' | 'requestDeletion' | 'cancelDeletion'> {
  return {
    checkActive: checkActive(ports),
    list: listApplications(ports),
    create: createApplication(ports),
    read: readApplication(ports),
    update: updateApplication(ports),
    setOutcomeCallback: setOutcomeCallback(ports),
    removeOutcomeCallback: removeOutcomeCallback(ports),
    rotateCallbackSecret: rotateCallbackSecret(ports),
  }
}

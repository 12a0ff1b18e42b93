import type { AccessUseCases } from '../access/use-cases.ts'
import {
  createApplicationKey,
  listApplicationKeys,
  revokeApplicationKey,
} from './application-keys.ts'
import { createApplication, setOutcomeCallback } from './commands.ts'
import { setCustomerKeyRate } from './customer-key-rate.ts'
import {
  allCustomerKeys,
  issueCustomerKey,
  issueSecondaryKey,
  listCustomerKeys,
  revokeCustomerKey,
} from './customer-keys.ts'
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

export type ApplicationKeyUseCases = Pick<
  AccessUseCases,
  | 'listApplicationKeys'
  | 'createApplicationKey'
  | 'revokeApplicationKey'
  | 'issueCustomerKey'
  | 'allCustomerKeys'
  | 'listCustomerKeys'
  | 'issueSecondaryKey'
  | 'revokeCustomerKey'
  | 'setCustomerKeyRate'
>

export function createApplicationKeys(ports: ApplicationDeps): ApplicationKeyUseCases {
  return {
    listApplicationKeys: listApplicationKeys(ports),
    createApplicationKey: createApplicationKey(ports),
    revokeApplicationKey: revokeApplicationKey(ports),
    issueCustomerKey: issueCustomerKey(ports),
    allCustomerKeys: allCustomerKeys(ports),
    listCustomerKeys: listCustomerKeys(ports),
    issueSecondaryKey: issueSecondaryKey(ports),
    revokeCustomerKey: revokeCustomerKey(ports),
    setCustomerKeyRate: setCustomerKeyRate(ports),
  }
}

import { cancelKeyRequest, revealKey } from './commands.ts'
import type { KeyRequestDeps } from './deps.ts'
import { listForStaff, listKeyRequests, readKeyRequest } from './queries.ts'
import { approveKeyRequest, executeKeyRequest, rejectKeyRequest } from './staff.ts'
import { submitKeyRequest } from './submit.ts'
import type { KeyRequestUseCases } from './use-cases.ts'

export function createKeyRequests(deps: KeyRequestDeps): KeyRequestUseCases {
  return {
    submit: submitKeyRequest(deps),
    list: listKeyRequests(deps),
    read: readKeyRequest(deps),
    cancel: cancelKeyRequest(deps),
    reveal: revealKey(deps),
    listForStaff: listForStaff(deps),
    approve: approveKeyRequest(deps),
    reject: rejectKeyRequest(deps),
    execute: executeKeyRequest(deps),
  }
}

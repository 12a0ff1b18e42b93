import type { ErasureDeps } from './deps.ts'
import { listHolds, placeHold, releaseHold } from './holds.ts'
import {
  erasureCertificate,
  listErasures,
  lookupSubject,
  readErasure,
  rejectErasure,
  requestErasure,
} from './requests.ts'
import type { PrivacyUseCases } from './use-cases.ts'

export function createPrivacy(deps: ErasureDeps): PrivacyUseCases {
  return {
    lookupSubject: lookupSubject(deps),
    requestErasure: requestErasure(deps),
    listErasures: listErasures(deps),
    readErasure: readErasure(deps),
    rejectErasure: rejectErasure(deps),
    erasureCertificate: erasureCertificate(deps),
    placeHold: placeHold(deps),
    listHolds: listHolds(deps),
    releaseHold: releaseHold(deps),
  }
}

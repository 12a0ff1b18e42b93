import { applicationKeyOperations } from './application-keys.ts'
import { callbackOperations } from './callback-operations.ts'
import { callbackSecretWipe } from './callback-secret-wipe.ts'
import { customerKeyOperations } from './customer-keys.ts'
import { applicationHealths } from './health.ts'
import { applicationOperations } from './operations.ts'
import { applications, sealedCallbackSecrets } from './records.ts'
import { signedDecisionOperations } from './signed-decisions.ts'

/** What this room contributes to the service. */
export const room = {
  tables: [applications, applicationHealths],
  sealed: [sealedCallbackSecrets],
  groups: {
    applicationKeys: applicationKeyOperations,
    applications: [...applicationOperations, ...callbackOperations],
    customerKeys: customerKeyOperations,
    signedDecisions: signedDecisionOperations,
  } as const,
  handlers: () => [callbackSecretWipe],
}

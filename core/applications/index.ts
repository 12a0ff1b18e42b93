export {
  type ApplicationKeyUseCases,
  createApplicationKeys,
  createApplications,
} from './create-applications.ts'
export type { ApplicationDeps } from './deps.ts'
export { active, applicationOf, existing } from './load.ts'
export {
  type Application,
  applications,
  callbackSecretContext,
  type OutcomeCallback,
} from './records.ts'
export type { ApplicationUseCases } from './use-cases.ts'
export type { ApplicationView, LifecycleState, OutcomeCallbackView } from './view.ts'

export { changedApplication } from './changed-application.ts'
export { createApplications } from './create-applications.ts'
export type { ApplicationDeps } from './deps.ts'
export { active, applicationOf, existing } from './load.ts'
export {
  type Application,
  type ApplicationSettings,
  applications,
  callbackSecretContext,
  type OutcomeCallback,
} from './records.ts'
export type { ApplicationUseCases } from './use-cases.ts'
export {
  type ApplicationInput,
  type ApplicationSettingsView,
  type ApplicationStage,
  type ApplicationView,
  applicationStages,
  type DeletionView,
  type LifecycleState,
  type OutcomeCallbackView,
  type TombstoneView,
} from './view.ts'

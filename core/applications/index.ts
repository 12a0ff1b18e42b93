export { changedApplication } from './changed-application.ts'
export { active, applicationOf, existing } from './load.ts'
export {
  type Application,
  type ApplicationSettings,
  applications,
  callbackSecretContext,
  type OutcomeCallback,
} from './records.ts'
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

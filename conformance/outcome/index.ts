export type { ServedApplication } from './message.ts'
export {
  createSuiteReviewers,
  type OutcomeForgery,
  type PinnedForSuite,
  type SignableOutcome,
  type Signer,
  type SuiteReviewers,
} from './reviewers.ts'
export { type OutcomeSuiteOptions, runOutcomeSuite } from './suite.ts'

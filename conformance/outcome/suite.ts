import type { Report } from '../receiver/report.ts'
import { runSuite } from '../receiver/suite.ts'
import type { ReceiverSuiteOptions } from '../receiver/suite-options.ts'
import { outcomeEndpoints } from './kind.ts'
import type { ServedApplication } from './message.ts'
import type { SuiteReviewers } from './reviewers.ts'

/** Options of a run against an endpoint of outcome callbacks. */
export interface OutcomeSuiteOptions
  extends Omit<ReceiverSuiteOptions, 'legacySecret'>,
    ServedApplication {
  /** Reviewers whose keys the endpoint pins; the probe tells `effects`: the ids of outcomes that were acted on. */
  readonly reviewers?: SuiteReviewers | undefined
}

/**
 * Judges the endpoint that takes outcome callbacks for one application: what it promises of outcomes, and what a receiver of
 * events promises too. The report reads as a receiver's.
 *
 * @example
 * ```ts
 * import { runOutcomeSuite } from '@countersign/conformance/outcome'
 * import { textReport } from '@countersign/conformance/receiver'
 *
 * const report = await runOutcomeSuite({
 *   url: 'http://127.0.0.1:8080/outcome',
 *   tenantId: 'ten_1',
 *   applicationId: 'app_1',
 *   keys: [secret],
 * })
 * console.log(textReport(report))
 * ```
 */
export function runOutcomeSuite(options: OutcomeSuiteOptions): Promise<Report> {
  return runSuite(options, outcomeEndpoints(options, options.reviewers))
}

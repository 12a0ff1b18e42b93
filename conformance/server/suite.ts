import { ConformanceError } from '../assert.ts'
import type { Check } from './check.ts'
import { accessChecks } from './checks/access.ts'
import { alertChecks } from './checks/alerts.ts'
import { applicationChecks, purgeChecks } from './checks/applications.ts'
import { authenticatorChecks } from './checks/authenticators.ts'
import { callbackChecks } from './checks/callbacks.ts'
import { caseChecks } from './checks/cases.ts'
import { channelChecks } from './checks/channels.ts'
import { deliveryChecks } from './checks/deliveries.ts'
import { descriptionChecks } from './checks/descriptions.ts'
import { erasureChecks } from './checks/erasure.ts'
import { errorChecks } from './checks/errors.ts'
import { evidenceChecks } from './checks/evidence.ts'
import { ingestChecks } from './checks/ingest.ts'
import { keyRequestChecks } from './checks/key-requests.ts'
import { keyChecks } from './checks/keys.ts'
import { markChecks } from './checks/marks.ts'
import { memberChecks, organizationChecks } from './checks/organization.ts'
import { packageChecks } from './checks/packages.ts'
import { passwordChecks } from './checks/passwords.ts'
import { policyChecks } from './checks/policies.ts'
import { portalChecks } from './checks/portal.ts'
import { privacyChecks } from './checks/privacy.ts'
import { recoveryChecks } from './checks/recovery.ts'
import { ruleChecks } from './checks/rules.ts'
import { sandboxChecks } from './checks/sandbox.ts'
import { scheduleChecks } from './checks/schedule.ts'
import { sealChecks } from './checks/seals.ts'
import { sessionChecks } from './checks/sessions.ts'
import { signingKeyChecks } from './checks/signing-keys.ts'
import { staffChecks } from './checks/staff.ts'
import { subscriptionChecks } from './checks/subscriptions.ts'
import { timeChecks } from './checks/time.ts'
import { walkChecks } from './checks/walks.ts'
import type { ServerCheckReport, ServerReport } from './report.ts'
import { needNames, type ServerTarget } from './target.ts'
import { openWorld, type World } from './world.ts'

/** Every check; the clock only goes forward, so that what moves it furthest comes last. */
export const checks: readonly Check[] = [
  ...caseChecks,
  ...portalChecks,
  ...walkChecks,
  ...errorChecks,
  ...accessChecks,
  ...descriptionChecks,
  ...sandboxChecks,
  ...ruleChecks,
  ...privacyChecks,
  ...memberChecks,
  ...passwordChecks,
  ...authenticatorChecks,
  ...organizationChecks,
  ...applicationChecks,
  ...keyChecks,
  ...keyRequestChecks,
  ...staffChecks,
  ...channelChecks,
  ...ingestChecks,
  ...evidenceChecks,
  ...packageChecks,
  ...sessionChecks,
  ...sealChecks,
  ...markChecks,
  ...policyChecks,
  ...erasureChecks,
  ...deliveryChecks,
  ...callbackChecks,
  ...recoveryChecks,
  ...subscriptionChecks,
  ...timeChecks,
  ...alertChecks,
  ...scheduleChecks,
  ...signingKeyChecks,
  ...purgeChecks,
]

/** Which checks to run, and who hears of each. */
export interface ServerSuiteOptions {
  /** Names of checks, or of their groups. */
  readonly only?: readonly string[]
  readonly onProgress?: (done: number, of: number, report: ServerCheckReport) => void
}

/** Checks of a running server. */
export interface ServerSuite {
  /** One check after another; a run may follow another. */
  run(options?: ServerSuiteOptions): Promise<ServerReport>
  close(): void
}

/**
 * Judges a server over HTTP; rejects when it can't even be logged in to.
 *
 * @example
 * ```ts
 * import { runServerSuite, serverTextReport } from '@countersign/conformance/server'
 *
 * const report = await runServerSuite({
 *   ingest: 'https://ingest.example.com',
 *   portal: 'https://portal.example.com',
 *   applicationId: 'app_1',
 *   applicationKey: apiKey,
 *   admin: { email: 'ada@acme.example', password },
 *   reviewer: { email: 'ruth@acme.example', password },
 * })
 * console.log(serverTextReport(report))
 * ```
 */
export async function runServerSuite(
  target: ServerTarget,
  options: ServerSuiteOptions = {},
): Promise<ServerReport> {
  const suite = await openServerSuite(target)
  try {
    return await suite.run(options)
  } finally {
    suite.close()
  }
}

/** Logs in, and listens for deliveries, until it is closed. */
export async function openServerSuite(target: ServerTarget): Promise<ServerSuite> {
  const world = await openWorld(target)
  return {
    run: async ({ only, onProgress } = {}) => {
      const chosen = checks.filter(
        ({ name }) => !only || only.some((one) => name === one || name.startsWith(`${one}.`)),
      )
      const reports: ServerCheckReport[] = []
      for (const check of chosen) {
        const report = await judge(check, target, world)
        reports.push(report)
        onProgress?.(reports.length, chosen.length, report)
      }
      return summary(target, reports)
    },
    close: () => world.close(),
  }
}

function summary(
  { ingest, portal }: ServerTarget,
  reports: readonly ServerCheckReport[],
): ServerReport {
  const count = (verdict: ServerCheckReport['verdict']) =>
    reports.filter((report) => report.verdict === verdict).length
  return {
    ingest,
    portal,
    checks: reports,
    passed: count('passed'),
    failed: count('failed'),
    notJudged: count('not judged'),
    seconds: reports.reduce((sum, { seconds }) => sum + seconds, 0),
  }
}

async function judge(check: Check, target: ServerTarget, world: World): Promise<ServerCheckReport> {
  const { name, promise, source, needs } = check
  const missing = needs.filter((need) => target[need] === undefined)
  const common = { name, promise, source }
  if (missing.length > 0) {
    return {
      ...common,
      verdict: 'not judged',
      seconds: 0,
      found: null,
      needs: missing.map((need) => needNames[need]),
    }
  }
  const began = performance.now()
  const wrong = await failureOf(() => check.run(world))
  // A server that went down takes no tidying either: that is a check's failure, and no end of the run.
  const untidied = await failureOf(() => world.tidy())
  const found = wrong ?? untidied
  return {
    ...common,
    verdict: found === null ? 'passed' : 'failed',
    seconds: Math.round(performance.now() - began) / 1000,
    found,
    needs: [],
  }
}

/** What was found wrong, in words; null when nothing was. */
async function failureOf(run: () => Promise<void>): Promise<string | null> {
  try {
    await run()
    return null
  } catch (error) {
    const { message, cause } = error as Error
    return cause instanceof ConformanceError ? `${message}\n${cause.message}` : message
  }
}

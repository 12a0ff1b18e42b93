import { ConformanceError } from '../assert.ts'
import type { Check } from './check.ts'
import { callbackChecks } from './checks/callbacks.ts'
import { caseChecks } from './checks/cases.ts'
import { deliveryChecks } from './checks/deliveries.ts'
import { errorChecks } from './checks/errors.ts'
import { scheduleChecks } from './checks/schedule.ts'
import { subscriptionChecks } from './checks/subscriptions.ts'
import { timeChecks } from './checks/time.ts'
import { walkChecks } from './checks/walks.ts'
import type { CheckReport, ServerReport } from './report.ts'
import { needNames, type ServerTarget } from './target.ts'
import { openWorld, type World } from './world.ts'

/** Every check; the clock only goes forward, so that what moves it furthest comes last. */
export const checks: readonly Check[] = [
  ...caseChecks,
  ...walkChecks,
  ...errorChecks,
  ...deliveryChecks,
  ...callbackChecks,
  ...subscriptionChecks,
  ...timeChecks,
  ...scheduleChecks,
]

export interface ServerSuiteOptions {
  /** Names of checks, or of their groups. */
  readonly only?: readonly string[]
  readonly onProgress?: (done: number, of: number, report: CheckReport) => void
}

/** Judges a server over HTTP, one check after another; rejects when it can't even be logged in to. */
export async function runServerSuite(
  target: ServerTarget,
  { only, onProgress }: ServerSuiteOptions = {},
): Promise<ServerReport> {
  const chosen = checks.filter(
    ({ name }) => !only || only.some((one) => name === one || name.startsWith(`${one}.`)),
  )
  const world = await openWorld(target)
  const reports: CheckReport[] = []
  try {
    for (const check of chosen) {
      const report = await judge(check, target, world)
      reports.push(report)
      onProgress?.(reports.length, chosen.length, report)
    }
  } finally {
    world.close()
  }
  const count = (verdict: CheckReport['verdict']) =>
    reports.filter((report) => report.verdict === verdict).length
  return {
    ingest: target.ingest,
    portal: target.portal,
    checks: reports,
    passed: count('passed'),
    failed: count('failed'),
    notJudged: count('not judged'),
    seconds: reports.reduce((sum, { seconds }) => sum + seconds, 0),
  }
}

async function judge(check: Check, target: ServerTarget, world: World): Promise<CheckReport> {
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
  const end = (verdict: 'passed' | 'failed', found: string | null): CheckReport => ({
    ...common,
    verdict,
    seconds: Math.round(performance.now() - began) / 1000,
    found,
    needs: [],
  })
  try {
    await check.run(world)
    return end('passed', null)
  } catch (error) {
    const { message, cause } = error as Error
    const deeper = cause instanceof ConformanceError ? `\n${cause.message}` : ''
    return end('failed', `${message}${deeper}`)
  } finally {
    await world.tidy()
  }
}

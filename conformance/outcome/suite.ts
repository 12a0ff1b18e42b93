import { randomInt } from 'node:crypto'
import { neededSeconds } from '../receiver/budget.ts'
import { createClient } from '../receiver/client.ts'
import { httpUrl } from '../receiver/http-url.ts'
import { judge } from '../receiver/judge.ts'
import { type KeyTexts, loadKeys } from '../receiver/keys.ts'
import type { Probe } from '../receiver/probe.ts'
import type { Property } from '../receiver/property.ts'
import { countsOf, type PropertyReport, type Report } from '../receiver/report.ts'
import { createSession } from '../receiver/session.ts'
import { createTally, type Need, type Target } from '../receiver/target.ts'
import { type ServedApplication, signOutcome } from './message.ts'
import { outcomeProperties, signedProperties } from './property.ts'
import type { SuiteReviewers } from './reviewers.ts'

/** Options of a run against an endpoint of outcome callbacks. */
export interface OutcomeSuiteOptions extends KeyTexts, ServedApplication {
  /** Where the endpoint takes outcome callbacks, http or https. */
  readonly url: string
  /** Shows what was stored; without one only statuses are judged. */
  readonly probe?: Pick<Probe, 'read'> | undefined
  /** Reviewers whose keys the endpoint pins; the probe then tells `effects`: the ids of outcomes that were acted on. */
  readonly reviewers?: SuiteReviewers | undefined
  readonly seed?: number | undefined
  /** Histories of each property, 30 unless given. */
  readonly runs?: number | undefined
  /** Ms in which an answer counts, 10,000 unless given. */
  readonly deadlineMs?: number | undefined
  /** Ms after which no history begins any more, 60,000 unless given. */
  readonly budgetMs?: number | undefined
}

const usualBudgetMs = 60_000

/**
 * Judges the endpoint that takes outcome callbacks for one application; the report reads as a receiver's.
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
export async function runOutcomeSuite(options: OutcomeSuiteOptions): Promise<Report> {
  const { probe, reviewers, deadlineMs = 10_000, budgetMs = usualBudgetMs } = options
  const { runs = 30, seed = randomInt(2 ** 31) } = options
  const url = httpUrl('url', options.url)
  const client = createClient(url, deadlineMs + 1_000)
  const startedAt = performance.now()
  const until = startedAt + budgetMs
  const target: Target = {
    client,
    keys: loadKeys(options),
    probe: null,
    read: (asked) => probe?.read(asked) ?? Promise.reject(new Error('there is no probe')),
    has: new Set<Need>(probe ? ['stored', ...(reviewers ? (['effects'] as const) : [])] : []),
    deadlineMs,
    settleMs: 1_000,
    resumeMs: 1_000,
    until,
    tally: createTally(),
    alive: async () => {
      const session = createSession(target)
      return (await client.send(signOutcome(session, options, {}))).status !== null
    },
  }
  const reports = new Map<Property, PropertyReport>()
  const promised = [
    ...outcomeProperties(options),
    ...(reviewers ? signedProperties(options, reviewers) : []),
  ]
  try {
    const replay = { seed, runs, shrinkMs: 10_000, until }
    for (const property of promised)
      reports.set(property, await judge(property, { target, unusable: null, replay, except: {} }))
  } finally {
    client.close()
  }
  const properties = [...reports.values()]
  return {
    url: url.href,
    seed,
    unusable: null,
    goneIn: target.tally.goneIn,
    properties,
    ...countsOf(properties),
    budgetSeconds: neededSeconds(reports, {
      promisedMs: () => budgetMs / promised.length,
      budgetMs,
    }),
    deliveries: target.tally.deliveries,
    seconds: Math.round(performance.now() - startedAt) / 1000,
    burst: null,
    notes: [],
  }
}

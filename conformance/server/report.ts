import { type JunitCase, junitXml } from '../junit-xml.ts'

/** The result of a check. */
export interface ServerCheckReport {
  readonly name: string
  readonly promise: string
  readonly source: string
  readonly verdict: 'passed' | 'failed' | 'not judged'
  readonly seconds: number
  /** What was expected and what came; null unless it failed. */
  readonly found: string | null
  /** What it would take to judge; empty unless it was not judged. */
  readonly needs: readonly string[]
}

/** The verdicts of a run against a server. */
export interface ServerReport {
  readonly ingest: string
  readonly portal: string
  readonly checks: readonly ServerCheckReport[]
  readonly passed: number
  readonly failed: number
  readonly notJudged: number
  readonly seconds: number
}

const marks = { passed: '✓', failed: '✗', 'not judged': '-' } as const

/** One line of progress for a check. */
export function checkLine({ name, verdict, seconds }: ServerCheckReport): string {
  return `${marks[verdict]} ${name.padEnd(26)} ${verdict === 'not judged' ? verdict : `${seconds.toFixed(1)} s`}`
}

/** For people: what failed comes last, with its promise and where it is made. */
export function serverTextReport(report: ServerReport): string {
  const { checks, passed, failed, notJudged, seconds } = report
  const unjudged = checks.filter(({ verdict }) => verdict === 'not judged')
  const failures = checks.filter(({ verdict }) => verdict === 'failed')
  return [
    ...checks.map(checkLine),
    ...unjudged.map(({ name, needs }) => `\n- ${name}: not judged, needs ${needs.join(' and ')}`),
    ...failures.flatMap(({ name, promise, source, found }) => [
      `\n✗ ${name}`,
      `  promised: ${promise} (${source})`,
      `  found:    ${found?.replaceAll('\n', '\n            ')}`,
    ]),
    `\n${passed} passed, ${failed} failed, ${notJudged} not judged, ${seconds.toFixed(1)} s`,
    '',
  ].join('\n')
}

/** As JUnit XML: a test case a check. */
export function serverJunitReport({ checks, seconds, ingest, portal }: ServerReport): string {
  const cases = checks.map((check) => ({
    name: check.name,
    seconds: check.seconds,
    outcome: outcomeOf(check),
  }))
  return junitXml({ name: 'server', seconds, facts: { ingest, portal }, cases })
}

function outcomeOf({ verdict, needs, promise, found }: ServerCheckReport): JunitCase['outcome'] {
  if (verdict === 'passed') return { kind: 'passed' }
  if (verdict === 'not judged')
    return { kind: 'skipped', why: `not judged: needs ${needs.join(' and ')}` }
  return { kind: 'failed', message: promise, text: found ?? '' }
}

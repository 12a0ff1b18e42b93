import { type JunitCase, junitXml } from '../junit-xml.ts'
import type { PropertyReport, Report } from './report.ts'

/** The report as JUnit XML: a test case a property; what is not judged is skipped with what it would need. */
export function junitReport(report: Report): string {
  const { properties, seconds, seed, url } = report
  const cases = properties.map((one) => ({
    name: one.name,
    seconds: one.seconds,
    outcome: outcomeOf(one),
  }))
  return junitXml({ name: 'receiver', seconds, facts: { url, seed }, cases })
}

function outcomeOf(report: PropertyReport): JunitCase['outcome'] {
  switch (report.verdict) {
    case 'passed':
      return { kind: 'passed' }
    case 'not judged':
      return { kind: 'skipped', why: `not judged: needs ${report.needs.join(', and ')}` }
    case 'failed': {
      if (report.exception !== null)
        return { kind: 'skipped', why: `excepted: ${report.exception}` }
      const { found, transcript, seed, path } = report.failure
      const text = [
        `${report.promise} (${report.level})`,
        ...transcript,
        report.advice,
        `seed ${seed}, path ${path ?? 'none'}`,
      ]
      return { kind: 'failed', message: found, text: text.join('\n') }
    }
  }
}

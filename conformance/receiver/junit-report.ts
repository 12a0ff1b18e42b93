import { type JunitCase, junitXml } from '../junit-xml.ts'
import { isOutOfTime, type PropertyReport, type Report } from './report.ts'

/**
 * The report as JUnit XML: a test case a property. What is not judged is skipped with what it would need; a required
 * property fails where that is time.
 */
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
    case 'not judged': {
      const why = `not judged: needs ${report.needs.join(', and ')}`
      // Readers of JUnit files take what was skipped for a pass, which a run without time is not.
      return isOutOfTime(report)
        ? { kind: 'failed', message: why, text: `${report.promise} (${report.level})` }
        : { kind: 'skipped', why }
    }
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

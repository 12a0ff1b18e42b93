import { xmlText } from '../xml-text.ts'
import type { PropertyReport, Report } from './report.ts'

/** The report as JUnit XML: a test case a property; what is not judged is skipped with what it would need. */
export function junitReport(report: Report): string {
  const { properties, failed, seconds, seed, url } = report
  const skipped = report.notJudged + report.excepted
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="countersign-conformance" tests="${properties.length}" failures="${failed}" skipped="${skipped}" time="${seconds}">`,
    `  <testsuite name="receiver" tests="${properties.length}" failures="${failed}" errors="0" skipped="${skipped}" time="${seconds}">`,
    '    <properties>',
    `      <property name="url" value="${xmlText(url)}"/>`,
    `      <property name="seed" value="${seed}"/>`,
    '    </properties>',
    ...properties.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase(report: PropertyReport): string {
  const [group = '', ...name] = report.name.split('.')
  const open = `    <testcase classname="receiver.${group}" name="${xmlText(name.join('.'))}" time="${report.seconds}"`
  switch (report.verdict) {
    case 'passed':
      return `${open}/>`
    case 'not judged':
      return `${open}><skipped message="${xmlText(`not judged: needs ${report.needs.join(', and ')}`)}"/></testcase>`
    case 'failed': {
      if (report.exception !== null)
        return `${open}><skipped message="${xmlText(`excepted: ${report.exception}`)}"/></testcase>`
      const { found, transcript, seed, path } = report.failure
      const text = [
        `${report.promise} (${report.level})`,
        ...transcript,
        report.advice,
        `seed ${seed}, path ${path ?? 'none'}`,
      ]
      return `${open}><failure message="${xmlText(found)}">${xmlText(text.join('\n'))}</failure></testcase>`
    }
  }
}

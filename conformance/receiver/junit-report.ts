import type { PropertyReport, Report } from './report.ts'

/** The report as JUnit XML: a test case a property; what is not judged is skipped with what it would need. */
export function junitReport(report: Report): string {
  const { properties, failed, notJudged, seconds, seed, url } = report
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="countersign-conformance" tests="${properties.length}" failures="${failed}" skipped="${notJudged}" time="${seconds}">`,
    `  <testsuite name="receiver" tests="${properties.length}" failures="${failed}" errors="0" skipped="${notJudged}" time="${seconds}">`,
    '    <properties>',
    `      <property name="url" value="${escaped(url)}"/>`,
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
  const open = `    <testcase classname="receiver.${group}" name="${escaped(name.join('.'))}" time="${report.seconds}"`
  switch (report.verdict) {
    case 'passed':
      return `${open}/>`
    case 'not judged':
      return `${open}><skipped message="${escaped(`not judged: needs ${report.needs.join(', and ')}`)}"/></testcase>`
    case 'failed': {
      const { found, transcript, seed, path } = report.failure
      const text = [
        report.promise,
        ...transcript,
        report.advice,
        `seed ${seed}, path ${path ?? 'none'}`,
      ]
      return `${open}><failure message="${escaped(found)}">${escaped(text.join('\n'))}</failure></testcase>`
    }
  }
}

/** Also without the characters that XML 1.0 can't hold, even escaped. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

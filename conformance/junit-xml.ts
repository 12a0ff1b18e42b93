/** A test case of a JUnit report; `name` is `group.case`. */
export interface JunitCase {
  readonly name: string
  readonly seconds: number
  readonly outcome:
    | { readonly kind: 'passed' }
    | { readonly kind: 'skipped'; readonly why: string }
    | { readonly kind: 'failed'; readonly message: string; readonly text: string }
}

/** One test suite as JUnit XML, by which most CI systems show results. `facts` become the suite's properties. */
export function junitXml(suite: {
  readonly name: string
  readonly seconds: number
  readonly facts: Readonly<Record<string, string | number>>
  readonly cases: readonly JunitCase[]
}): string {
  const { name, seconds, facts, cases } = suite
  const count = (kind: JunitCase['outcome']['kind']) =>
    cases.filter(({ outcome }) => outcome.kind === kind).length
  const counts = `tests="${cases.length}" failures="${count('failed')}" skipped="${count('skipped')}" time="${seconds}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="countersign-conformance" ${counts}>`,
    `  <testsuite name="${xmlText(name)}" errors="0" ${counts}>`,
    '    <properties>',
    ...Object.entries(facts).map(
      ([fact, value]) =>
        `      <property name="${xmlText(fact)}" value="${xmlText(String(value))}"/>`,
    ),
    '    </properties>',
    ...cases.map((one) => testCase(name, one)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase(suite: string, { name, seconds, outcome }: JunitCase): string {
  const [group = '', ...rest] = name.split('.')
  const open = `    <testcase classname="${xmlText(`${suite}.${group}`)}" name="${xmlText(rest.join('.'))}" time="${seconds}"`
  switch (outcome.kind) {
    case 'passed':
      return `${open}/>`
    case 'skipped':
      return `${open}><skipped message="${xmlText(outcome.why)}"/></testcase>`
    case 'failed':
      return `${open}><failure message="${xmlText(outcome.message)}">${xmlText(outcome.text)}</failure></testcase>`
  }
}

/** Escaped for XML, also without the characters that XML 1.0 can't hold, even escaped. */
function xmlText(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

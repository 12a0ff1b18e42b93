// Reads COVERAGE.md: what each row is about, what must come by in its test, and where the test is.

export const sections = ['Operations', 'States', 'Event types', 'Limits', 'Rules', 'Statements']

/** Sections whose first column names a route, a state or an event type; rows of the others name what they show. */
const subjects = {
  Operations: (what) => [`route ${what}`],
  States: (what) => [`state ${what}`],
  'Event types': (what) => [`event ${what.replaceAll('`', '')}`],
}

const rowForm = /^\| (?<what>.+?) \|(?: (?<shows>[^|]+?) \|)? `(?<file>[^`]+)` › (?<name>.+?) \|$/

/** The rows of a section's table. A line that is no row of the form has no name, and is found as a fault. */
export function rowsUnder(heading, page) {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  const isHead = (at) => [lines[at], lines[at + 1]].some((line) => line?.startsWith('|---'))
  return lines
    .filter((_, at) => !isHead(at))
    .map((line) => {
      const { what = line, shows = '', file = '', name = '' } = rowForm.exec(line)?.groups ?? {}
      const needs =
        subjects[heading]?.(what) ?? [...shows.matchAll(/`([^`]+)`/g)].map(([, one]) => one)
      return { section: heading, what, shows, needs, file, name }
    })
}

export const allRows = (page) => sections.flatMap((heading) => rowsUnder(heading, page))

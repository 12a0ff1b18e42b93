// Compares what came by in the named tests with what the rows of COVERAGE.md are about.
import { nameForm } from './name-form.mjs'
import { programOf } from './run-named.mjs'

/** Whose calls of the core's operations a host makes. */
const callersOf = {
  ingest: ['application', 'customerKey', 'nobody'],
  portal: ['member', 'nobody'],
  staff: ['staff', 'system', 'nobody'],
}

/** Whether a route was granted over HTTP, or an operation behind it to a caller of its host. */
function granted(route, { seen, handlers }) {
  if (seen.has(`route ${route}`)) return true
  const callers = callersOf[route.split(' ')[1]]
  return [...(handlers.get(route) ?? [])].some((operation) =>
    callers.some((caller) => seen.has(`done ${operation} ${caller}`)),
  )
}

/** What is wrong with rows, a line each: a test that did not run, or in which something did not come by. */
export function judgeRows(rows, { found, handlers }) {
  return rows.flatMap(({ what, needs, file, name }) => {
    const form = nameForm(name)
    const tests = (found.get(programOf(file)) ?? []).filter(({ names }) =>
      names.some((one) => form.test(one)),
    )
    if (tests.length === 0) return [`${what}: "${name}" of ${file} did not run`]
    const seen = new Set(tests.flatMap((test) => test.seen))
    return needs
      .filter((need) =>
        need.startsWith('route ')
          ? !granted(need.slice('route '.length), { seen, handlers })
          : !seen.has(need),
      )
      .map((need) => `${what}: "${name}" of ${file} runs without ${need}`)
  })
}

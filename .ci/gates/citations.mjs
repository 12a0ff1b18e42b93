// Comments and reports cite the documents of core/docs: `(interface, <heading>)`, rows of its transition table as
// `row 6` or `rows 10 to 12`, and `decision 12` of decisions.md. Each citation must lead somewhere.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lineOf } from '../read-source.mjs'

/** `interface` up to the end of a heading: a closing bracket, a quote or a semicolon ends it. */
const heading = /\binterface, ([A-Z][^)'"`;\n]*)/g
/** Words before a number that make it a row of the transition table; a row of another table has its own word. */
const row = /\brows? (\d+[a-z]?)(?:(?:, | and | to )(\d+[a-z]?))*/g
const decision = /\bdecisions? (\d+)/g
const numbered = /^### (\d+)\. /gm
/** The document behind the repository, which a reader of the repository doesn't have. */
const elsewhere = /\(contract\b|\bcontract[,;] /g
/** Where "row" is a row of the transition table. */
const aboutCases = /^(core\/review|core\/test\/review|conformance\/server|conformance\/simulator)\//

export function citations(root, tree) {
  const docs = readDocs(root)
  const cited = tree.flatMap(({ files }) =>
    files.flatMap(({ file, source: { text } }) => [
      ...found(file, text, heading, ([, name]) =>
        docs.headings.has(name.trim()) ? null : `interface.md has no heading "${name.trim()}"`,
      ),
      ...(aboutCases.test(file)
        ? found(file, text, row, ([whole]) => {
            const missing = whole.match(/\d+[a-z]?/g).filter((each) => !docs.rows.has(each))
            return missing.length ? `the transition table has no row ${missing.join(', ')}` : null
          })
        : []),
      ...found(file, text, decision, ([, number]) =>
        docs.decisions.has(number) ? null : `decisions.md has no decision ${number}`,
      ),
      ...found(file, text, elsewhere, () => 'cite core/docs: (interface, <heading>)'),
    ]),
  )
  return [...cited, ...docs.doubled]
}

function readDocs(root) {
  const read = (name) => {
    const path = join(root, 'core/docs', name)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  const wire = read('interface.md')
  const matches = (text, pattern) => new Set([...text.matchAll(pattern)].map(([, one]) => one))
  const log = read('decisions.md')
  const seen = new Set()
  const table = wire.split(/^#+ /m).find((part) => part.startsWith('Transition table\n')) ?? ''
  return {
    headings: matches(wire, /^#+ (.+)$/gm),
    rows: matches(table, /^\| (\d+[a-z]?) \|/gm),
    decisions: matches(log, numbered),
    doubled: found('core/docs/decisions.md', log, numbered, ([, number]) => {
      const isSeen = seen.has(number)
      seen.add(number)
      return isSeen ? `two decisions have the number ${number}` : null
    }),
  }
}

function found(file, text, pattern, fault) {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const says = fault(match)
    return says === null
      ? []
      : [{ file, line: lineOf(text, match.index), rule: 'citation', text: says }]
  })
}

import type { Route } from '../operation.ts'
import type { Json } from './json-schema.ts'
import { plain, sentence, type Wire } from './wire.ts'
import type { Words } from './words.ts'

/** What is said of operations and their answers. */
export interface OperationWords {
  /** What an operation answers with. */
  answerOf(row: Route): string
  /** A named schema with what its members mean. */
  withMeanings(name: string, schema: Json): Json
}

/** The tables of members, by the schemas that they tell of. */
const members: Readonly<Record<string, string>> = { Case: 'Case record' }

/** What an operation answers with, as a clause; throws where nothing says it. */
export function answerWordsOf(row: Route, { answers }: Words): string {
  const title = row.answer.schema.title
  const words =
    answers[`${row.host} ${row.name}`] ??
    (typeof title === 'string' ? `the ${spaced(title)}` : undefined)
  if (words === undefined)
    throw new Error(`${row.name}: give its answer a title, or words in description/words.json`)
  return words
}

/** `AlertRule` is `alert rule`. */
function spaced(title: string): string {
  return title.replace(/[A-Z]/g, (letter, at) => `${at > 0 ? ' ' : ''}${letter.toLowerCase()}`)
}

/** Reads the tables of members (interface, Case record). */
export function readOperationWords(wire: Wire, words: Words): OperationWords {
  return {
    answerOf: (row) => sentence(plain(answerWordsOf(row, words))) || 'Done.',
    withMeanings(name, schema) {
      const heading = members[name]
      if (heading === undefined) return schema
      const meanings = new Map(
        wire.rowsUnder(heading).map(([member = '', , meaning = '']) => [member, sentence(meaning)]),
      )
      const properties = schema.properties as Readonly<Record<string, Json>>
      return {
        ...schema,
        properties: Object.fromEntries(
          Object.entries(properties).map(([member, each]) => {
            const description = meanings.get(member) ?? ''
            return [member, description === '' ? each : { description, ...each }]
          }),
        ),
      }
    },
  }
}

import { type Host, hosts, type Route } from '../operation.ts'
import type { Json } from './json-schema.ts'
import { sentence, type Wire } from './wire.ts'

/** What core/docs/interface.md says of operations and their answers. */
export interface OperationWords {
  /** What an operation answers with. */
  answerOf(row: Pick<Route, 'host' | 'name'>): string
  /** A named schema with what its members mean. */
  withMeanings(name: string, schema: Json): Json
}

const tables: Readonly<Record<Host, string>> = {
  ingest: 'Ingest host',
  portal: 'Portal host',
  staff: 'Staff host',
}
/** The tables of members, by the schemas that they tell of. */
const members: Readonly<Record<string, string>> = { Case: 'Case record' }

/** Reads the tables of operations and of members (interface, Operations). */
export function readOperationWords(wire: Wire): OperationWords {
  const answers = new Map(
    hosts.flatMap((host) =>
      wire
        .rowsUnder(tables[host])
        .map(([name, , , , , answer = '']) => [`${host} ${name}`, answer] as const),
    ),
  )
  return {
    answerOf: ({ host, name }) => sentence(answers.get(`${host} ${name}`) ?? '') || 'Done.',
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

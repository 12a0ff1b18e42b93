import type { EventType } from '@countersign/core/events'
import { plain, sentence, type Wire } from './wire.ts'
import type { Words } from './words.ts'

/** What is said of events. */
export interface EventWords {
  /** When events of a type are sent. */
  sentWhen(type: EventType): string
  /** What a member of a body means, by its path; of a type where it is in `data`. */
  meaningOf(heading: string, type: string, path: string): string
}

/** Reads the tables of the members of events and of the transitions behind them (interface, Events). */
export function readEventWords(wire: Wire, { occasions }: Words): EventWords {
  const transitions = new Map(
    wire
      .rowsUnder('Transition table')
      .map(([row = '', command, by, , guard]) => [
        row,
        `\`${command}\` by ${by}${guard ? ` (${guard})` : ''}`,
      ]),
  )
  const data = wire.rowsUnder('Event data')
  return {
    sentWhen(type) {
      const when = occasions[type]
      if (when === undefined)
        throw new Error(`description/words.json does not say when ${type} is sent`)
      const rows = /^rows? /.test(when) ? (when.match(/\d+/g) ?? []) : []
      return sentence(
        rows.length > 0 ? rows.map((row) => transitions.get(row)).join('; ') : plain(when),
      )
    },
    meaningOf(heading, type, path) {
      const inData = path.startsWith('data.') ? path.slice('data.'.length) : null
      const [, , meaning = ''] =
        inData === null
          ? (wire.rowsUnder(heading).find(([member]) => member === path) ?? [])
          : (data
              .find(([types = '', member]) => types.split(', ').includes(type) && member === inData)
              ?.slice(1) ?? [])
      return sentence(meaning)
    },
  }
}

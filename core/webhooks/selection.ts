import { type EventType, selectableTypes } from '../base/events/catalogue.ts'
import { most } from '../kernel/ledger/limits.ts'
import { listOf } from '../kernel/members.ts'
import { oneOf, type Shape } from '../kernel/shape.ts'
import { takenBy } from '../kernel/wrap.ts'

/** An event type that may be selected, or all of them. */
export type Selected = EventType | '*'
const selectable: readonly Selected[] = ['*', ...selectableTypes]
/** Callers give texts, which are checked. */
const selectedType: Shape<Selected, string> = oneOf(selectable)

/** A selection of event types, kept without duplicates in the order given or in that of the catalogue; `*` alone. */
export const selection = (order: 'given' | 'catalogue') =>
  takenBy(
    listOf(selectedType, { least: 1, most: most.eventTypes }),
    (types): readonly Selected[] => {
      if (types.includes('*')) return ['*']
      return order === 'given'
        ? [...new Set(types)]
        : selectable.filter((type) => types.includes(type))
    },
  )

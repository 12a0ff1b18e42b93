import type { Put } from '@countersign/core/ports'
import { settings } from '../collections.ts'

/** Beyond every limit that a store may have inside: batches, bound parameters, pages, prepared widths. */
export const many = 300

/** 0 to below `count`. */
export const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => at)

/** The first write of a numbered setting. */
export const setting = (at: number): Put => ({
  in: settings.name,
  row: { name: `s${at}`, value: at },
  was: null,
})

/** What a numbered setting that was written once conflicts with. */
export const conflict = (at: number) =>
  ({ kind: 'version', in: settings.name, key: [`s${at}`], now: 1 }) as const

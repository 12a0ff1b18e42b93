import { acknowledgements, challenges, manners, strict } from './faults/answering.ts'
import type { BrokenReceiver } from './faults/fault.ts'
import { copies, orders, readers } from './faults/keeping.ts'
import { older } from './faults/older.ts'
import { signatures, timestamps } from './faults/signatures.ts'

/** Receivers that the suite must fail, each by the property that is named. */
export const brokenReceivers: readonly BrokenReceiver[] = [
  ...signatures,
  ...timestamps,
  ...readers,
  ...copies,
  ...orders,
  ...acknowledgements,
  ...challenges,
  ...strict,
  ...older,
  ...manners,
]

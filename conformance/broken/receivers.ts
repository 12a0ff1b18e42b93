import { acknowledgements, challenges, manners, strict } from './faults/answering.ts'
import { bodies } from './faults/bodies.ts'
import { circumstances } from './faults/circumstances.ts'
import { comparisons, otherBytes, otherHeaders } from './faults/comparison.ts'
import { confusions } from './faults/confusion.ts'
import { familyFaults } from './faults/families.ts'
import type { BrokenReceiver } from './faults/fault.ts'
import { forgetters } from './faults/forgetting.ts'
import { identities } from './faults/identity.ts'
import { copies, orders, readers } from './faults/keeping.ts'
import { loads } from './faults/load.ts'
import { older } from './faults/older.ts'
import { arithmetic } from './faults/order.ts'
import { restarts } from './faults/restarts.ts'
import { signatures, timestamps } from './faults/signatures.ts'
import { times } from './faults/time.ts'

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
  ...circumstances,
  ...confusions,
  ...comparisons,
  ...otherBytes,
  ...otherHeaders,
  ...times,
  ...identities,
  ...forgetters,
  ...arithmetic,
  ...loads,
  ...bodies,
  ...restarts,
  ...familyFaults,
]

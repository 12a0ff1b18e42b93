import type { Property } from '../property.ts'
import { acknowledgement } from './acknowledgement.ts'
import { challenge } from './challenge.ts'
import { forward } from './forward.ts'
import { hygiene } from './hygiene.ts'
import { idempotency } from './idempotency.ts'
import { service } from './legacy.ts'
import { ordering } from './ordering.ts'
import { reading } from './reading.ts'
import { rotation } from './rotation.ts'
import { signature } from './signature.ts'
import { timestamp } from './timestamp.ts'

/** Every promise of a receiver that this suite judges. */
export const properties: readonly Property[] = [
  ...signature,
  ...timestamp,
  ...reading,
  ...idempotency,
  ...ordering,
  ...acknowledgement,
  ...challenge,
  ...forward,
  ...rotation,
  ...service,
  ...hygiene,
]

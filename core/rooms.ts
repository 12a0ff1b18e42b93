import { room as applications } from './applications/room.ts'
import type { Collection, Log } from './base/ports/store.ts'
import { room as content } from './content/room.ts'
import { room as evidence } from './evidence/room.ts'
import { type Facades, groupsOf } from './kernel/facade.ts'
import { auditLog } from './kernel/ledger/audit.ts'
import type { Counted } from './kernel/ledger/change-counts.ts'
import { room as kernel } from './kernel/room.ts'
import type { AnySealedMembers } from './kernel/sealing/sealed-members.ts'
import { sealedTextsOf } from './kernel/sealing/sealed-texts.ts'
import { room as keys } from './keys/room.ts'
import { room as organizations } from './organizations/room.ts'
import { room as outbox } from './outbox/room.ts'
import { room as policies } from './policies/room.ts'
import { room as removal } from './removal/room.ts'
import { room as review } from './review/room.ts'
import { room as sessions } from './sessions/room.ts'
import { room as webhooks } from './webhooks/room.ts'

/** The rooms that have tables, groups, kinds of delivery or due work. */
export const rooms = [
  kernel,
  organizations,
  applications,
  content,
  keys,
  outbox,
  webhooks,
  review,
  policies,
  sessions,
  removal,
  evidence,
] as const

/** Every room's collections, for the store that is to hold them. */
export const collections: readonly Collection<never>[] = rooms.flatMap(
  ({ tables }): readonly Collection<never>[] => tables,
)

/** Every room's rows whose changes are counted. */
export const countedChanges: readonly Counted[] = rooms.flatMap((room): readonly Counted[] =>
  'counted' in room ? room.counted : [],
)

/** Every append-only log of the service. */
export const logs: readonly Log[] = [auditLog]

/** Every room's sealed values, for the check and the replacement of the master key. */
export const sealed: readonly AnySealedMembers[] = [
  ...rooms.flatMap((room): readonly AnySealedMembers[] => ('sealed' in room ? room.sealed : [])),
  ...sealedTextsOf(collections as readonly unknown[] as readonly Collection[]),
]

/** The operations of the service, by the groups of its facade. */
export const groups = groupsOf(rooms)

/** The methods of all groups. */
export interface OperationGroups extends Facades<typeof groups> {}

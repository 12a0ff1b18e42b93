import type { Collection, PurgeRule } from '../../base/ports/store.ts'
import { list, many, removalsOf } from '../../kernel/ledger/reads.ts'
import type { ApplicationPart } from '../erasure/deps.ts'
import { callbacksPart, deliveryParts } from './purge-deliveries.ts'
import type { PurgeOwner, PurgePart } from './purge-part.ts'

/** Rows that one commit removes. */
const piece = 100

/** The parts of the steps that remove rows, in their order. */
export type PurgePlan = Readonly<Record<'keys' | 'data' | 'configuration', readonly PurgePart[]>>

/**
 * What a purge removes, derived from the collections' own declarations. Throws a TypeError for a collection that names
 * an application and keeps its rows, or that no index finds by it, so that a new one can't be forgotten.
 */
export function purgePlanOf(
  collections: readonly Collection[],
  packages: ApplicationPart,
): PurgePlan {
  const rows = collections.flatMap((each) => {
    const { name, columns, purge } = each
    if ('application' in purge) return { step: purge.step ?? 'data', part: rowsPart(each, purge) }
    if ('keep' in purge && 'applicationId' in columns)
      throw new TypeError(`${name} names an application: expected a purge that removes its rows`)
    return []
  })
  const of = (step: keyof PurgePlan) =>
    rows.flatMap((each) => (each.step === step ? each.part : []))
  return {
    keys: of('keys'),
    // Callbacks end first: what is needed to send them is data of the application.
    data: [callbacksPart, ...of('data'), packagesPart(packages), ...deliveryParts],
    configuration: of('configuration'),
  }
}

function rowsPart(
  collection: Collection,
  { application }: Extract<PurgeRule, { application: string }>,
): PurgePart {
  const { name, key, indexes } = collection
  const found = Object.entries({ key, ...indexes }).find(([, [first]]) => first === application)
  if (!found)
    throw new TypeError(
      `${name} has rows of applications: expected an index that begins with ${application}`,
    )
  const [by] = found
  const some = ({ applicationId }: PurgeOwner, take: number) =>
    list(collection, { by, where: [[application, '=', applicationId]], take })
  return {
    name,
    async remove(unit, owner) {
      const [answer] = await unit.read([some(owner, piece)])
      const removes = removalsOf(collection, many(collection, answer))
      const last = removes.at(-1)
      return {
        set: { removes },
        removed: removes.length,
        after: last && removes.length === piece ? last.key : null,
      }
    },
    left: (owner) => some(owner, 1),
  }
}

function packagesPart(packages: ApplicationPart): PurgePart {
  return {
    name: packages.name,
    async remove(unit, owner) {
      const change = await packages.remove(unit, {
        tenantId: owner.tenantId,
        applicationIds: [owner.applicationId],
      })
      return change
        ? { set: change.set, removed: change.count, after: [owner.applicationId] }
        : { set: {}, removed: 0, after: null }
    },
    left: () => null,
  }
}

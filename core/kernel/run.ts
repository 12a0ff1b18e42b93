import { type Actor, tenantOf } from './callers/actor.ts'
import type { Right } from './callers/authorize.ts'
import { callerOf } from './callers.ts'
import { refuseErrors } from './ledger/input-errors.ts'
import { checkListQuery, type ListQuery } from './ledger/listing.ts'
import { type FieldError, ok, type RefusalCode, type Result } from './ledger/refusal.ts'
import { queryOfPart } from './list.ts'
import { faultsOf, takeAll } from './members.ts'
import type { Memory } from './memory.ts'
import { Afterwards, type AnyOperation } from './operation.ts'
import type { KernelPorts } from './ports.ts'
import type { Query } from './query.ts'
import type { InsOf, Members, RowsOf } from './shape.ts'
import { ended, type Lookup, lookUp, planOf, type Unit } from './unit.ts'

/** An operation as a function of its caller, null where nobody is known, and of its input. */
export type Run = (actor: Actor | null, given: object) => Promise<Result<unknown>>

type Given = Readonly<Record<string, unknown>>
type AnyLookup = Lookup<never, RefusalCode, unknown>

/** Authorizes, checks the input, prepares, then runs the operation. */
export function createRun(operation: AnyOperation, ports: KernelPorts, tools: unknown): Run {
  const { by: kinds, right, feature } = operation
  const { ledger } = ports

  return async (actor, given) => {
    const allowed = callerOf(actor, kinds, right)
    if (!allowed.ok) return allowed
    const malformed = refuseErrors(malformedOf(operation, given))
    if (malformed) return malformed
    const input = takeAll<Members>(operation.takes, given as InsOf<Members>)
    const by = allowed.value as never
    if (!('around' in operation) || !operation.around) return runAs(allowed.value, input)
    return operation.around({ by, tools }, input, () => runAs(allowed.value, input))
  }

  async function runAs(by: Actor | null, input: RowsOf<Members>): Promise<Result<unknown>> {
    const tenantId = (by && tenantOf(by)) ?? operation.of?.(input as never) ?? null
    const look = <T>(run: (lookup: AnyLookup) => Promise<T>) =>
      lookUp(
        (reads) => ledger.read(tenantId, reads),
        by,
        tools,
        (lookup) => run(lookup as AnyLookup),
      )
    const planned = (): Readonly<Record<string, Query<unknown, RefusalCode>>> =>
      feature && tenantId !== null ? { plan: ports.entitled(tenantId, feature) } : {}
    const { prepare } = 'prepare' in operation ? operation : {}
    const prepared = prepare ? await look((lookup) => prepare(lookup, input)) : ok(null)
    if (!prepared.ok) return prepared

    if (operation.kind !== 'command')
      return look(async (lookup) => {
        // A member's row was read when the host authenticated the request; a key's row is read here.
        const isKey = by?.kind === 'application' || by?.kind === 'customerKey'
        await lookup.ask({ ...(isKey && { by: ports.admit(by, right) }), ...planned() })
        if (operation.kind === 'reading') return operation.run(lookup, input, prepared.value)
        const query = queryOfPart(input)
        lookup.orRefuse(checkListQuery(query))
        return operation.kind === 'stream'
          ? operation.open(lookup, input, query)
          : partOf(operation, lookup, input, query)
      })

    const admit: Admission = async (ask) => {
      const ahead = operation.ahead?.({ by: by as never, tools }, input)
      const answers = await ask({ ...(by && { by: ports.admit(by, right) }), ...planned() }, ahead)
      return by && (answers as { readonly by: Actor }).by
    }
    const within = operation.within?.(prepared.value as never) ?? tenantId
    const done = await ledger.execute(within, (unit) =>
      planOf(ports, unit, { admit, tools }, (own) =>
        operation.run(own as never, input, prepared.value),
      ),
    )
    return done.ok && done.value instanceof Afterwards ? ended(done.value.make) : done
  }
}

/**
 * Commits a unit of work of a caller who has a right, outside of an operation: what a stream commits as it is read. The
 * caller is read again with each try, as for an operation.
 */
export async function commitAs<By extends Actor, Code extends RefusalCode, T>(
  ports: KernelPorts,
  { by, right, tenantId = tenantOf(by) }: Committing<By>,
  run: (unit: Unit<By, Code>) => Promise<T>,
): Promise<Result<T>> {
  const allowed = callerOf(by, [by.kind], right)
  if (!allowed.ok) return allowed
  const admit = async (ask: Memory['ask']) => (await ask({ by: ports.admit(by, right) })).by as By
  return ports.ledger.execute(tenantId, (unit) =>
    planOf(ports, unit, { admit, tools: null }, (own) => run(own as unknown as Unit<By, Code>)),
  )
}

/** Who commits, and in which organization: their own, unless it is named. */
interface Committing<By> {
  readonly by: By
  readonly right: Right | null
  readonly tenantId?: string | null
}

type Admission = (ask: Memory['ask']) => Promise<Actor | null>

async function partOf(
  { items, repeats = [], source }: Extract<AnyOperation, { readonly kind: 'listing' }>,
  lookup: AnyLookup,
  input: object,
  query: ListQuery,
): Promise<object> {
  const rows = await source(lookup, input as never)
  lookup.orRefuse(rows.check?.(query) ?? ok(null))
  const part = await rows.part(query, lookup.read)
  if ('rows' in part) return part
  const { items: found, ...place } = part
  const again = repeats.map((name) => [name, (input as Given)[name]] as const)
  return { ...Object.fromEntries(again), [items]: found, ...place }
}

/** Faults of an input, each with its JSON pointer. */
export function malformedOf({ takes, also }: AnyOperation, given: object): readonly FieldError[] {
  const faults = faultsOf(takes, given)
  return faults.length > 0 || !also
    ? faults
    : also(takeAll<Members>(takes, given as InsOf<Members>) as never)
}

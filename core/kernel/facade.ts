import type { Actor } from './callers/actor.ts'
import { kindsOf } from './callers.ts'
import type { Rows } from './ledger/read-part.ts'
import type { Result } from './ledger/refusal.ts'
import type { PageUnder, part } from './list.ts'
import type { AnyOperation } from './operation.ts'
import type { KernelPorts } from './ports.ts'
import { createRun } from './run.ts'
import type { InsOf, Members, OutOf, OutsOf } from './shape.ts'

type CallersOf<O> = O extends { readonly by?: infer By }
  ? By extends readonly (infer Kind)[]
    ? Kind
    : By
  : never
/** A method with the actor before its input, but for operations of anyone. */
type Called<O, Input, Answer> =
  'anyone' extends CallersOf<O>
    ? (input: Input) => Promise<Result<Answer>>
    : (actor: Actor, input: Input) => Promise<Result<Answer>>
type Pages = Pick<typeof part, 'page' | 'pageSize'>
type Behind = Pick<typeof part, 'after' | 'limit'>

/** An operation as a method of the facade; a list answers the form of the part that is asked for. */
export type Method<O> = O extends {
  readonly kind: 'stream'
  readonly takes: infer T
  open(...given: never): Promise<infer List>
}
  ? Called<O, InsOf<Extract<T, Members>>, List>
  : O extends {
        readonly kind: 'listing'
        readonly filter: infer F
        readonly items: infer Items
        readonly item: infer Item
        readonly repeats?: readonly (infer Repeats)[]
      }
    ? Called<
        O,
        InsOf<Extract<F, Members> & Pages>,
        PageUnder<Extract<Items, string>, OutOf<Item>> &
          OutsOf<Pick<Extract<F, Members>, Extract<Repeats, keyof F>>>
      > &
        Called<O, InsOf<Extract<F, Members> & Behind>, Rows<OutOf<Item>>>
    : O extends { readonly takes: infer T; readonly gives: infer G }
      ? Called<O, InsOf<Extract<T, Members>>, OutOf<G>>
      : never

type ActIn<Group extends string, Name> = Name extends `${Group}.${infer Act}` ? Act : never

/** The methods of a group, by the act in the operation's name. */
export type Facade<Group extends string, Operations extends readonly AnyOperation[]> = {
  readonly [O in Operations[number] as ActIn<Group, O['name']>]: Method<O>
}

/** Groups of operations by their names. */
export type Groups = Readonly<Record<string, readonly AnyOperation[]>>
/** What a room may bring: groups, one of which may have operations of several rooms. */
interface Grouping {
  readonly tables: readonly unknown[]
  readonly groups?: Groups
}
type GroupsOf<R> = R extends { readonly groups: infer G } ? G : never
type NameOf<G> = G extends unknown ? keyof G & string : never
/** Groups of several rooms as one. */
type Joined<G> = {
  readonly [Name in NameOf<G>]: readonly Extract<
    G,
    Readonly<Record<Name, readonly AnyOperation[]>>
  >[Name][number][]
}

/** The groups of all rooms, each once, with its operations in the order of the rooms. */
export function groupsOf<const R extends readonly Grouping[]>(
  rooms: R,
): Joined<GroupsOf<R[number]>> {
  const all = new Map<string, readonly AnyOperation[]>()
  for (const { groups = {} } of rooms)
    for (const [name, operations] of Object.entries(groups))
      all.set(name, [...(all.get(name) ?? []), ...operations])
  return Object.fromEntries(all) as Joined<GroupsOf<R[number]>>
}

/** The methods of each group. */
export type Facades<G extends Groups> = {
  readonly [Group in keyof G & string]: Facade<Group, G[Group]>
}

type Needs<O> = O extends { run(work: { readonly tools: infer T }, ...rest: never): unknown }
  ? T
  : O extends { source(work: { readonly tools: infer T }, ...rest: never): unknown }
    ? T
    : O extends { open(work: { readonly tools: infer T }, ...rest: never): unknown }
      ? T
      : never
/** The tools that all of these operations need together. */
export type ToolsOf<O> = (O extends unknown ? (tools: Needs<O>) => void : never) extends (
  tools: infer Tools,
) => void
  ? Tools
  : never

/** The methods of groups of operations. `tools`: what the rooms of these groups need. */
export function openGroups<const G extends Groups>(
  groups: G,
  ports: KernelPorts,
  tools: ToolsOf<G[keyof G][number]>,
): Facades<G> {
  return Object.fromEntries(
    Object.entries(groups).map(([group, operations]) => [
      group,
      Object.fromEntries(
        operations.map((operation) => [
          operation.name.slice(group.length + 1),
          methodOf(operation, ports, tools),
        ]),
      ),
    ]),
  ) as unknown as Facades<G>
}

function methodOf(operation: AnyOperation, ports: KernelPorts, tools: unknown): unknown {
  const run = createRun(operation, ports, tools)
  return kindsOf(operation.by).includes('anyone') ? (given: object) => run(null, given) : run
}

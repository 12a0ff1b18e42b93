import type { Actor, MemberActor } from '../access/actor.ts'
import { authorizeMember, type Right } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { refuseErrors } from '../ledger/input-errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type FieldError, ok, type RefusalCode, type Result } from '../ledger/refusal.ts'
import { faultsOf, takeAll } from './members.ts'
import { Refused } from './query.ts'
import type { AnyShape, InsOf, Members, OutOf, RowsOf } from './shape.ts'
import { type Lookup, lookUp, planOf, type Unit } from './unit.ts'

/** What is declared of an operation of members; the facade, its HTTP row, documents and clients follow from it. */
interface Declared<
  Name extends string,
  Takes extends Members,
  Gives extends AnyShape,
  Code extends RefusalCode,
> {
  /** `<group>.<act>`: of the facade, of the HTTP description and of the clients. */
  readonly name: Name
  /** One line for the reader of an API. */
  readonly doc: string
  readonly right: Right
  readonly takes: Takes
  /** Faults that lie between members; asked for an input whose members hold each by itself. */
  also?(input: NoInfer<RowsOf<Takes>>): readonly FieldError[]
  readonly gives: Gives
  /** The codes that `run` may refuse with, beside those that follow from the other members. */
  readonly refuses: readonly Code[]
}

/** An operation that changes something, in one commit. */
export interface Command<
  Name extends string,
  Takes extends Members,
  Gives extends AnyShape,
  Code extends RefusalCode,
> extends Declared<Name, Takes, Gives, Code> {
  readonly kind: 'command'
  run(unit: Unit<MemberActor, Code>, input: RowsOf<Takes>): Promise<OutOf<Gives>>
}

/** An operation that changes nothing. */
export interface Reading<
  Name extends string,
  Takes extends Members,
  Gives extends AnyShape,
  Code extends RefusalCode,
> extends Declared<Name, Takes, Gives, Code> {
  readonly kind: 'reading'
  run(lookup: Lookup<MemberActor, Code>, input: RowsOf<Takes>): Promise<OutOf<Gives>>
}

/** An operation of whatever types: a bound of type parameters. */
export type AnyOperation =
  | Command<string, Members, AnyShape, RefusalCode>
  | Reading<string, Members, AnyShape, RefusalCode>

/** Declares an operation that changes something. */
export function command<
  const Name extends string,
  Takes extends Members,
  Gives extends AnyShape,
  const Code extends RefusalCode = never,
>(declared: Omit<Command<Name, Takes, Gives, Code>, 'kind'>): Command<Name, Takes, Gives, Code> {
  return { ...declared, kind: 'command' }
}

/** Declares an operation that changes nothing. */
export function reading<
  const Name extends string,
  Takes extends Members,
  Gives extends AnyShape,
  const Code extends RefusalCode = never,
>(declared: Omit<Reading<Name, Takes, Gives, Code>, 'kind'>): Reading<Name, Takes, Gives, Code> {
  return { ...declared, kind: 'reading' }
}

/** An operation as a method of the facade. */
export type Method<O> = O extends { readonly takes: infer T; readonly gives: infer G }
  ? (actor: Actor, input: InsOf<Extract<T, Members>>) => Promise<Result<OutOf<G>>>
  : never

type ActIn<Group extends string, Name> = Name extends `${Group}.${infer Act}` ? Act : never

/** The methods of a group, by the act in the operation's name. */
export type Facade<Group extends string, Operations extends readonly AnyOperation[]> = {
  readonly [O in Operations[number] as ActIn<Group, O['name']>]: Method<O>
}

/** The methods of a group of operations over a ledger. */
export function open<Group extends string, const Operations extends readonly AnyOperation[]>(
  group: Group,
  operations: Operations,
  ledger: Ledger,
): Facade<Group, Operations> {
  const methods = operations.map(
    (operation) => [operation.name.slice(group.length + 1), methodOf(operation, ledger)] as const,
  )
  return Object.fromEntries(methods) as unknown as Facade<Group, Operations>
}

function methodOf(
  operation: AnyOperation,
  ledger: Ledger,
): (actor: Actor, given: object) => Promise<Result<unknown>> {
  return async (actor, given) => {
    const member = authorizeMember(actor, operation.right)
    if (!member.ok) return member
    const malformed = refuseErrors(malformedOf(operation, given))
    if (malformed) return malformed
    const input = takeAll<Members>(operation.takes, given as InsOf<Members>)
    if (operation.kind === 'command')
      return executeAs(ledger, actor, operation.right, (unit, by) =>
        planOf(unit, by, (own) => operation.run(own, input)),
      )
    const { tenantId } = member.value
    const found = await lookUp(
      (reads) => ledger.read(tenantId, reads),
      member.value,
      (lookup) => operation.run(lookup, input),
    )
    return found instanceof Refused ? { ok: false, refusal: found.refusal } : ok(found)
  }
}

/** Faults of an input, each with its JSON pointer. */
export function malformedOf({ takes, also }: AnyOperation, given: object): readonly FieldError[] {
  const faults = faultsOf(takes, given)
  return faults.length > 0 || !also
    ? faults
    : also(takeAll<Members>(takes, given as InsOf<Members>))
}

import type { Read } from '../base/ports/store.ts'
import type { CallerKind, Callers } from './callers.ts'
import type { Declared, LookupOf } from './declared.ts'
import type { Listing as Opened } from './ledger/listing.ts'
import type { RefusalCode, Result } from './ledger/refusal.ts'
import { type ListDeclared, type Listing, listing, type Streaming } from './list.ts'
import type { AnyShape, Members, OutOf, RowsOf } from './shape.ts'
import type { Unit } from './unit.ts'

/** Codes with which any operation may refuse. */
type OfAny = 'invalid_request' | 'busy'

/** As `Declared`, of an operation whose answer has one form. */
interface Answering<
  Name extends string,
  Takes extends Members,
  Gives extends AnyShape,
  Code extends RefusalCode,
  Kind extends CallerKind,
  Tools,
  Prepared,
> extends Declared<Name, Takes, Code, Kind> {
  readonly gives: Gives
  /**
   * What is slow or looks outside, once, before `run` and its retries: an address is checked, a password hashed, a value
   * sealed. What it asks for is no check of the commit.
   */
  prepare?(lookup: LookupOf<Kind, Code, Tools>, input: RowsOf<Takes>): Promise<Prepared>
  /**
   * Runs the whole of it, `prepare` included: in turn with other calls, say. May refuse with what the operation names,
   * with malformed input and with `busy`, which any operation may answer.
   */
  around?<T>(
    call: Pick<LookupOf<Kind, Code, Tools>, 'by' | 'tools'>,
    input: RowsOf<Takes>,
    run: () => Promise<Result<T, NoInfer<Code> | OfAny>>,
  ): Promise<Result<T, NoInfer<Code> | OfAny>>
}

/** An operation that changes something, in one commit. */
export interface Command<
  Name extends string,
  Takes extends Members,
  Gives extends AnyShape,
  Code extends RefusalCode,
  Kind extends CallerKind = 'member',
  Tools = unknown,
  Prepared = unknown,
> extends Answering<Name, Takes, Gives, Code, Kind, Tools, Prepared> {
  readonly kind: 'command'
  /**
   * What `run` will read, whoever calls it: brought in the round trip that finds the caller, and at hand when `run` reads
   * the same.
   */
  ahead?(
    call: Pick<LookupOf<Kind, Code, Tools>, 'by' | 'tools'>,
    input: RowsOf<Takes>,
  ): readonly Read[]
  /** The organization that `prepare` found, whose rows alone `run` then reads and writes. */
  within?(prepared: NoInfer<Prepared>): string
  /** Decides; runs again where the commit conflicts. */
  run(
    unit: Unit<Callers[Kind], Code, Tools>,
    input: RowsOf<Takes>,
    prepared: Prepared,
  ): Promise<OutOf<Gives> | Afterwards<OutOf<Gives>>>
}

/** An operation that changes nothing. */
export interface Reading<
  Name extends string,
  Takes extends Members,
  Gives extends AnyShape,
  Code extends RefusalCode,
  Kind extends CallerKind = 'member',
  Tools = unknown,
  Prepared = unknown,
> extends Answering<Name, Takes, Gives, Code, Kind, Tools, Prepared> {
  readonly kind: 'reading'
  run(
    lookup: LookupOf<Kind, Code, Tools>,
    input: RowsOf<Takes>,
    prepared: Prepared,
  ): Promise<OutOf<Gives>>
}

/** The answer of a command that is made once its commit is durable, such as of what came of it. It may refuse. */
export class Afterwards<Out> {
  readonly make: () => Promise<Out>

  constructor(make: () => Promise<Out>) {
    this.make = make
  }
}

/** An operation of whatever types: a bound of type parameters. */
export type AnyOperation =
  | Command<string, Members, AnyShape, RefusalCode, CallerKind>
  | Reading<string, Members, AnyShape, RefusalCode, CallerKind>
  | Listing<string, Members, string, AnyShape, RefusalCode, CallerKind>
  | Streaming<string, Members, string, AnyShape, Opened<unknown>, RefusalCode, CallerKind>

/** Declares operations of a room that is opened with these tools. */
export interface Declaring<Tools> {
  /** Declares an operation that changes something. */
  command<
    const Name extends string,
    Takes extends Members,
    Gives extends AnyShape,
    const Code extends RefusalCode = never,
    const Kind extends CallerKind = 'member',
    Prepared = null,
  >(
    declared: Omit<Command<Name, Takes, Gives, Code, Kind, Tools, Prepared>, 'kind'>,
  ): Command<Name, Takes, Gives, Code, Kind, Tools, Prepared>
  /** Declares an operation that changes nothing. */
  reading<
    const Name extends string,
    Takes extends Members,
    Gives extends AnyShape,
    const Code extends RefusalCode = never,
    const Kind extends CallerKind = 'member',
    Prepared = null,
  >(
    declared: Omit<Reading<Name, Takes, Gives, Code, Kind, Tools, Prepared>, 'kind'>,
  ): Reading<Name, Takes, Gives, Code, Kind, Tools, Prepared>
  /** Declares an operation that reads a part of a list, which may be a page or what is behind a cursor. */
  list<
    const Name extends string,
    Filter extends Members,
    const Items extends string,
    Item extends AnyShape,
    const Code extends RefusalCode = never,
    const Kind extends CallerKind = 'member',
    const Repeats extends keyof Filter & string = never,
  >(
    declared: ListDeclared<Listing<Name, Filter, Items, Item, Code, Kind, Tools, Repeats>>,
  ): Listing<Name, Filter, Items, Item, Code, Kind, Tools, Repeats>
  /** Declares an operation that reads a part of a list of any size, in pieces. */
  stream<
    const Name extends string,
    Filter extends Members,
    const Items extends string,
    Item extends AnyShape,
    List extends Opened<OutOf<Item>>,
    const Code extends RefusalCode = never,
    const Kind extends CallerKind = 'member',
  >(
    declared: ListDeclared<Streaming<Name, Filter, Items, Item, List, Code, Kind, Tools>>,
  ): Streaming<Name, Filter, Items, Item, List, Code, Kind, Tools>
}

/** Declares operations of a room with tools: `const { command, reading } = operationsWith<ChannelTools>()`. */
export function operationsWith<Tools>(): Declaring<Tools> {
  return {
    command: (declared) => ({ ...declared, kind: 'command' }),
    reading: (declared) => ({ ...declared, kind: 'reading' }),
    list: (declared) => listing('listing', declared),
    stream: (declared) => listing('stream', declared),
  }
}

/** Of rooms that need no tools. */
export const { command, list, reading }: Declaring<unknown> = operationsWith<unknown>()

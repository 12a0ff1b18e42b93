import {
  type AnyShape,
  faultsOf,
  type InsOf,
  inputOf,
  isDescribed,
  type JsonSchema,
  type Members,
  schemaOf,
  textInputOf,
} from '@countersign/core/kernel'
import { type FieldError, ok } from '@countersign/core/ledger'
import { refuseFaults } from './errors.ts'
import type { HostResult } from './refusal.ts'

/** What a caller sends as a body or a query: how it is described, and how it is read. */
export interface Input<T> {
  readonly schema: JsonSchema
  /**
   * What was sent in the form that the facade takes. Refuses with `invalid_request` what the schema excludes; rules
   * beyond it are left to the operation.
   */
  readonly read: (given: unknown) => HostResult<T>
}

/** Faults between members, looked for where each member holds by itself. */
type Also<M extends Members> = (input: InsOf<M>) => readonly FieldError[]

/** A JSON body with these members. */
export function bodyOf<M extends Members>(members: M): Input<InsOf<M>> {
  return {
    schema: schemaOf(members, 'input'),
    read: (body) => held(members, inputOf(members, body), 'body'),
  }
}

/** A query with these parameters. */
export function queryOf<M extends Members>(members: M, also?: Also<M>): Input<InsOf<M>> {
  return {
    schema: schemaOf(members, 'input'),
    read: (query) => held(members, textInputOf(members, query), 'query', also),
  }
}

/** A body that the core reads from its bytes and checks by itself; as it is described. */
export function bytesOf(shape: AnyShape): Input<unknown> {
  return {
    schema: shape.json.input,
    read(body) {
      const faults = shape.faults(body, '').filter(isDescribed)
      return faults.length > 0 ? refuseFaults(faults, 'body') : ok(body)
    },
  }
}

function held<M extends Members>(
  members: M,
  input: unknown,
  place: 'body' | 'query',
  also: Also<M> = () => [],
): HostResult<InsOf<M>> {
  const own = faultsOf(members, input)
  const faults = own.length > 0 ? own.filter(isDescribed) : also(input as InsOf<M>)
  return faults.length > 0 ? refuseFaults(faults, place) : ok(input as InsOf<M>)
}

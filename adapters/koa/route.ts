import type { Actor, ApplicationActor, MemberActor, Service } from '@countersign/core'
import type { Right } from '@countersign/core/access'
import type { Result } from '@countersign/core/ledger'
import type { Context } from 'koa'
import type * as z from 'zod'
import type { HostResult } from './refusal.ts'

/** The listener that a route belongs to. */
export type Host = 'ingest' | 'portal'

/** A request that a router has matched. */
export type RouteContext = Context & { readonly params: Readonly<Record<string, string>> }

/** A successful answer: the JSON body and headers beside the usual ones. */
export interface Reply {
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What a route's handler is given: everything parsed and checked. */
export interface Call<A, B, Q> {
  readonly service: Service
  readonly actor: A
  readonly param: (name: string) => string
  readonly body: B
  readonly query: Q
  readonly ctx: Context
}

interface Actors {
  readonly none: null
  readonly member: MemberActor
  readonly application: ApplicationActor
}

/** One row of the route table, from which routers, and the test of who may do what, are made. */
export interface Route {
  readonly host: Host
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly auth: keyof Actors
  /** Asked for before the body is read, so that 403 comes before 400. */
  readonly right: Right | null
  readonly body: z.ZodType | null
  /** Bytes of body that are read at most; a larger body is 413. */
  readonly bodyLimit: number
  /** Counts in the throttle of logins: asked before the body is read, and told of a body that is refused. */
  readonly throttled: boolean
  readonly query: z.ZodType
  readonly handle: (call: Call<Actor | null, unknown, unknown>) => Promise<HostResult<Reply>>
}

/** Bodies above 1 MiB are refused by every route. */
export const standardBody = 1024 * 1024
/** For routes whose largest right body is a few hundred bytes, and for callers that are not known yet. */
export const smallBody = 16 * 1024

/** Declares a route with the types of its schemas. */
export function route<
  Auth extends keyof Actors,
  Query extends z.ZodType,
  Body extends z.ZodType | null = null,
>(row: {
  readonly host: Host
  readonly method: Route['method']
  readonly path: string
  readonly auth: Auth
  readonly right?: Right
  readonly query: Query
  readonly body?: Body
  /** `standardBody` unless given. */
  readonly bodyLimit?: number
  readonly throttled?: boolean
  readonly handle: (
    call: Call<Actors[Auth], Body extends z.ZodType ? z.output<Body> : null, z.output<Query>>,
  ) => Promise<HostResult<Reply>>
}): Route {
  return {
    ...row,
    right: row.right ?? null,
    body: row.body ?? null,
    bodyLimit: row.bodyLimit ?? standardBody,
    throttled: row.throttled ?? false,
    // The router calls it with what these very schemas yielded.
    handle: row.handle as unknown as Route['handle'],
  }
}

/** A use case's answer as a JSON body. */
export function reply<T>(
  result: Result<T>,
  shape: (value: T) => unknown = (value) => value,
): Result<Reply> {
  return result.ok ? { ok: true, value: { body: shape(result.value) } } : result
}

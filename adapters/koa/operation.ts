import type { Service } from '@countersign/core'
import type { PlanFeature, Right } from '@countersign/core/access'
import type { RefusalCode } from '@countersign/core/ledger'
import type { Context } from 'koa'
import type { Actors } from './authenticate.ts'
import type { Input } from './input.ts'
import type { Consumed, Produced, Reply } from './media.ts'
import type { ApiOptions } from './options.ts'
import type { HostResult } from './refusal.ts'

/** The listeners, each with routes of its own. */
export const hosts = ['ingest', 'portal', 'staff'] as const
/** The listener that a route belongs to. */
export type Host = (typeof hosts)[number]

/** A request that a router has matched. */
export type RouteContext = Context & { readonly params: Readonly<Record<string, string>> }

/** The names of the parameters of a path: of `/v1/webhooks/:webhookId/test`, `webhookId`. */
export type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** What a route's handler is given: everything parsed and checked. */
export interface Call<Actor, Parameter extends string, Body, Query> {
  readonly service: Service
  readonly actor: Actor
  readonly param: (name: Parameter) => string
  readonly body: Body
  readonly query: Query
  readonly ctx: Context
}

/** What is declared of an operation, without the types that only its handler needs. */
interface Declared {
  /** `<group>.<act>`, one of its kind on its host: the operation's id and the method of a client. */
  readonly name: string
  /** One line for a reader of the API's description. */
  readonly summary: string
  readonly host: Host
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** Other paths that lead to it, which no description names. */
  readonly aliases?: readonly string[]
  readonly auth: keyof Actors
  /** Asked for before the body is read, so that 403 comes before 400. */
  readonly right: Right | null
  /** What the organization's plan must include, asked for with the right; null: nothing. */
  readonly feature: PlanFeature | null
  /** Counts in the throttle of logins: asked before the body is read, and told of a body that is refused. */
  readonly throttled: boolean
  readonly body: Consumed<unknown>
  readonly query: Input<unknown>
  readonly answer: Produced<unknown>
  /** The form of its errors: the one of the service, or the same with `code` and `message` of google.rpc.Status. */
  readonly errors: 'service' | 'rpc'
  /** Refusals of its own; `errorCodesOf` adds those that follow from the other members. */
  readonly refuses: readonly RefusalCode[]
}

/** An operation as its row is written: the handler's types are those of the row's other members. */
export interface Operation<Auth extends keyof Actors, Path extends string, Query, Body, Answer>
  extends Declared {
  readonly auth: Auth
  readonly path: Path
  readonly query: Input<Query>
  readonly body: Consumed<Body>
  readonly answer: Produced<Answer>
  readonly handle: (
    call: Call<Actors[Auth], ParametersOf<Path>, Body, Query>,
  ) => Promise<HostResult<Reply<NoInfer<Answer>>>>
}

/** One row of the route table, from which routers, and the test of who may do what, are made. */
export interface Route extends Declared {
  /** Checks, parses and handles a request. */
  readonly serve: (options: ApiOptions, ctx: RouteContext) => Promise<HostResult<Reply>>
}

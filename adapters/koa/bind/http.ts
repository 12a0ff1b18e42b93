import type { Actor, Listing, Pieces, Result, Service } from '@countersign/core'
import {
  type AnyOperation,
  type AnyShape,
  type CallerKind,
  faultsOfPart,
  kindsOf,
  type Members,
  type OutOf,
  optional,
  queryOfPart,
} from '@countersign/core/kernel'
import { ok } from '@countersign/core/ledger'
import type { Context } from 'koa'
import type { AnswerHeader } from '../answer-headers.ts'
import { anyone, application, customerKey, member, staff } from '../callers.ts'
import { ofParameter } from '../errors.ts'
import { saidOfCaller } from '../guest.ts'
import { bodyOf, queryOf } from '../input.ts'
import { streamPart, streamWhole } from '../list-stream.ts'
import { json, jsonBody, noBody } from '../media.ts'
import type { Route } from '../operation.ts'
import type { HostResult } from '../refusal.ts'
import { route } from '../route.ts'

/** What HTTP adds to an operation; each has a usual value. */
export interface Binding<O extends AnyOperation> {
  /** Its name on its host, where operations of two hosts are one of their kind on each; that of the operation unless given. */
  readonly name?: string
  /** Whose row it is, of an operation with callers of several kinds: each has a row of its own. */
  readonly as?: Exclude<CallerKind, 'system'>
  /** Bytes of the body at most. */
  readonly limit?: number
  /** Members of the input that come from the query although the method has a body. */
  readonly query?: readonly (keyof O['takes'] & string)[]
  /** Of a success; 200 unless given. */
  readonly status?: 202
  /** All rows of a list: the answer without a query, written as it is read. */
  readonly whole?: (service: Service, actor: Actor) => Promise<Result<Pieces<unknown>>>
  /** Seconds for which anyone may keep the answer. */
  readonly maxAge?: number
  /** Counts in the throttle of logins. */
  readonly throttled?: true
  /**
   * The `ETag` of the answer, which `If-None-Match` is compared with; null: that answer has none. Without it, that of a
   * read of the portal is a digest of its body (`answer-tag.ts`).
   */
  readonly tag?: (answer: OutOf<O['gives']>) => string | null
  /** What `If-Match` says of the input; a version conflict is 412 then. */
  readonly seen?: SeenBy<O>
  /** The answer over HTTP, of an operation whose answer is sent in part as headers. */
  readonly reply?: ReplyOf<OutOf<O['gives']>>
}

/** What is sent of an operation's answer. */
export interface ReplyOf<Answer> {
  readonly gives: AnyShape
  readonly headers: readonly AnswerHeader[]
  /** Sets the headers; answers what the body holds. */
  of(ctx: Context, answer: Answer): object
}

/** The members of an input that name the version that the caller saw. */
interface SeenBy<O extends AnyOperation> {
  /** Those that the body may have as well. */
  readonly inBody: readonly (keyof O['takes'] & string)[]
  /** Those that the header alone has. */
  readonly inHeader?: readonly (keyof O['takes'] & string)[]
  /** The members that a header stands for; null where it names no version. */
  readonly read: (header: string) => object | null
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
const callers = { member, application, customerKey, staff, anyone } as const

/**
 * The row of an operation: host and authentication follow from its callers. Members of its input that the path names
 * come from there, all others from the body, or from the query where the method has none.
 */
export function http<O extends AnyOperation>(
  operation: O,
  method: Method,
  path: string,
  binding: Binding<O> = {},
): Route {
  const { doc, right, feature = null, takes, gives, refuses } = operation as AnyOperation
  const { as = kindsOf(operation.by)[0], limit, status, throttled = false } = binding
  const { tag, seen, whole, maxAge, reply } = binding
  if (as === undefined || as === 'system')
    throw new TypeError(`${operation.name}: expected a caller by HTTP`)
  const hasBody = method === 'POST' || method === 'PUT'
  const inPath = Array.from(path.matchAll(/:(\w+)/g), ([, parameter = '']) => parameter)
  const inQuery = hasBody ? (binding.query ?? []) : Object.keys(takes)
  const ofCaller = Object.keys(takes).filter((each) => takes[each]?.fromHost)
  const elsewhere = [...inPath, ...ofCaller, ...(seen?.inHeader ?? [])]
  const asked = membersOf(takes, (each) => inQuery.includes(each) && !elsewhere.includes(each))
  const sent = membersOf(takes, (each) => !inQuery.includes(each) && !elsewhere.includes(each))
  const ofPart = 'after' in takes && 'page' in takes ? faultsOfPart : undefined
  const headers: readonly AnswerHeader[] = [
    ...(tag ? (['ETag'] as const) : []),
    ...(reply?.headers ?? []),
  ]

  return route({
    ...callers[as],
    name: binding.name ?? operation.name,
    summary: doc,
    right,
    feature,
    method,
    path,
    throttled,
    query: queryOf(asked, ofPart),
    body: hasBody ? jsonBody(bodyOf(laxIn(sent, seen?.inBody)), limit) : noBody,
    answer: { ...json(reply?.gives ?? gives, ...headers), ...(status && { status }) },
    refuses,
    handle: async ({ service, actor, param, query, body, ctx }) => {
      const ids = Object.fromEntries(inPath.map((each) => [each, param(each as never)]))
      const known = seen?.read(ctx.get('if-match')) ?? null
      const caller = saidOfCaller(ctx, ofCaller)
      const input = { ...ids, ...query, ...body, ...known, ...caller }
      if (whole && operation.kind === 'listing' && Object.keys(query).length === 0) {
        const all = await whole(service, actor as Actor)
        return all.ok ? streamWhole(ctx, operation.items, all.value) : all
      }
      const call = methodOf(service, operation.name)
      const result = await (as === 'anyone' ? call(input) : call(actor, input))
      if (!result.ok) return hasBody ? conditional(result, known !== null) : parameters(result)
      if (operation.kind === 'stream') {
        const listing = result.value as Listing<unknown>
        return streamPart(ctx, operation.items, listing, queryOfPart(query))
      }
      const answer = result.value as OutOf<O['gives']> & object
      const etag = tag?.(answer) ?? null
      const headers = {
        ...(etag !== null && { ETag: etag }),
        ...(maxAge !== undefined && { 'Cache-Control': `public, max-age=${maxAge}` }),
      }
      return ok({ body: reply ? reply.of(ctx, answer) : answer, headers })
    },
  })
}

function membersOf(members: Members, has: (name: string) => boolean): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => has(name)))
}

/** Members that a header may give instead need not be in the body; the operation itself asks for them. */
function laxIn(members: Members, names: readonly string[] = []): Members {
  const lax = Object.entries(members).map(
    ([name, shape]) => [name, names.includes(name) ? optional(shape) : shape] as const,
  )
  return Object.fromEntries(lax)
}

type AnyMethod = (...given: readonly unknown[]) => Promise<Result<object>>

/** The method of the facade that an operation is; its input was checked, and is again. */
function methodOf(service: Service, name: string): AnyMethod {
  const [group = '', act = ''] = name.split('.')
  const groups = service as unknown as Readonly<Record<string, Readonly<Record<string, AnyMethod>>>>
  const method = groups[group]?.[act]
  if (!method) throw new Error(`expected a service with the operation ${name}`)
  return method
}

type Refused = Extract<HostResult<never>, { readonly ok: false }>

/** A version that came in If-Match is a precondition (RFC 9110 13.1.1): 412 instead of 409. */
function conditional(refused: Refused, isCondition: boolean): Refused {
  return isCondition && refused.refusal.code === 'version_conflict'
    ? { ok: false, refusal: { ...refused.refusal, code: 'precondition_failed' } }
    : refused
}

/** Faults of members that came in the query, by the names of its parameters. */
function parameters(refused: Refused): Refused {
  const errors = refused.refusal.errors?.map(ofParameter)
  return errors ? { ok: false, refusal: { ...refused.refusal, errors } } : refused
}

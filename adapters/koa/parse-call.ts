import type { Service } from '@countersign/core'
import { ok } from '@countersign/core/ledger'
import { canBeId } from './id-form.ts'
import type { Input } from './input.ts'
import type { Consumed } from './media.ts'
import type { Call, RouteContext } from './operation.ts'
import { checkSandboxHeader } from './permit.ts'
import { readBytes } from './read-bytes.ts'
import { type HostResult, refuse } from './refusal.ts'

/** What no id can look like is as good as unknown. */
export const unknown = refuse('not_found', 'no such resource')

/** What a route's handler gets to see of a request: read as the route's inputs say. */
export async function parseCall<Actor, Parameter extends string, Body, Query>(
  row: { readonly body: Consumed<Body>; readonly query: Input<Query> },
  service: Service,
  ctx: RouteContext,
  actor: Actor,
): Promise<HostResult<Call<Actor, Parameter, Body, Query>>> {
  const bytes = await readBytes(ctx, row.body)
  if (!bytes.ok) return bytes
  const decoded = row.body.decode(bytes.value)
  if (!decoded.ok) return decoded
  const mode = checkSandboxHeader(ctx)
  if (!mode.ok) return mode
  // A parameter given twice is an array, which no shape of a parameter takes.
  const asked = { ...ctx.query }
  const query = row.query.read(asked)
  if (!query.ok) return query
  const body = row.body.check(decoded.value)
  if (!body.ok) return body
  if (!Object.entries(ctx.params).every(([name, id]) => canBeId(name, id))) return unknown
  return ok({
    service,
    actor,
    ctx,
    param: (name) => ctx.params[name] ?? '',
    body: body.value,
    query: query.value,
  })
}

import type { Actor, Service } from '@countersign/core'
import { ok } from '@countersign/core/ledger'
import { refuseIssues } from './errors.ts'
import { idForm } from './id-form.ts'
import { readJson } from './json-body.ts'
import { checkSandboxHeader } from './permit.ts'
import { type HostResult, refuse } from './refusal.ts'
import type { Call, Route, RouteContext } from './route.ts'

/** What a route's handler gets to see of a request: checked by the route's schemas. */
export async function parseCall(
  row: Route,
  service: Service,
  ctx: RouteContext,
  actor: Actor | null,
): Promise<HostResult<Call<Actor | null, unknown, unknown>>> {
  const json = row.body ? await readJson(ctx, row.bodyLimit) : ok(null)
  if (!json.ok) return json
  const mode = checkSandboxHeader(ctx)
  if (!mode.ok) return mode
  // A parameter given twice is an array, which no schema takes.
  const asked = { ...ctx.query }
  const query = row.query.safeParse(asked)
  if (!query.success) return refuseIssues(query.error.issues, 'query', asked)
  const body = row.body ? row.body.safeParse(json.value) : { success: true as const, data: null }
  if (!body.success) return refuseIssues(body.error.issues, 'body', json.value)
  // What no id can look like is as good as unknown.
  if (!Object.values(ctx.params).every((id) => idForm.test(id)))
    return refuse('not_found', 'no such resource')
  return ok({
    service,
    actor,
    ctx,
    param: (name) => ctx.params[name] ?? '',
    body: body.data,
    query: query.data,
  })
}

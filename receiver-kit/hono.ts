import type { Endpoint } from './endpoint.ts'

/** Hono: `app.post('/hook', honoHandler(receiver))`. */
export function honoHandler(
  endpoint: Endpoint,
): (context: { readonly req: { readonly raw: Request } }) => Promise<Response> {
  return (context) => endpoint.fetch(context.req.raw)
}

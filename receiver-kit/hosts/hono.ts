import type { Receiver } from '../join-receiver.ts'

/** Hono: `app.post('/hook', honoHandler(receiver))`. */
export function honoHandler(
  receiver: Pick<Receiver, 'fetch'>,
): (context: { readonly req: { readonly raw: Request } }) => Promise<Response> {
  return (context) => receiver.fetch(context.req.raw)
}

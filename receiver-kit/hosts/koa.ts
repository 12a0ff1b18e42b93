import type { Mountable } from '../receiving/endpoint.ts'
import { answerNode, type NodeRequest } from './node.ts'
import type { MaybeParsed } from './raw-body.ts'

/** The part of Koa's context that is used. */
export interface KoaContext {
  readonly req: NodeRequest
  readonly request: MaybeParsed
  status: number
  body: unknown
  set(headers: Record<string, string>): void
}

/** Koa middleware, the last of its route. */
export function koaMiddleware({ endpoint }: Mountable): (context: KoaContext) => Promise<void> {
  return async (context) => {
    const answer = await answerNode(endpoint, context.req, context.request)
    context.body = answer.body
    context.status = answer.status
    context.set({ ...answer.headers })
  }
}

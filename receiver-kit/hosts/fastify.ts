import type { Mountable } from '../receiving/endpoint.ts'
import { answerNode, type NodeRequest } from './node.ts'
import type { MaybeParsed } from './raw-body.ts'

/** The part of a Fastify instance that is used. */
export interface FastifyScope {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    parser: (
      request: unknown,
      payload: unknown,
      done: (error: Error | null, body?: unknown) => void,
    ) => void,
  ): unknown
  post(
    path: string,
    handler: (
      request: MaybeParsed & { readonly raw: NodeRequest },
      reply: {
        code(status: number): {
          headers(values: Readonly<Record<string, string>>): { send(body: unknown): unknown }
        }
      },
    ) => Promise<unknown>,
  ): unknown
}

/** Fastify plugin with one route. Encapsulated: other routes keep their body parsers. */
export function fastifyPlugin({
  endpoint,
}: Mountable): (scope: FastifyScope, options: { readonly path?: string }) => Promise<void> {
  return async (scope, { path = '/' }) => {
    scope.removeAllContentTypeParsers()
    // Leaves the stream unread for `answerNode`.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.post(path, async (request, reply) => {
      const { status, headers, body } = await answerNode(endpoint, request.raw, request)
      return reply
        .code(status)
        .headers(headers)
        .send(body ?? undefined)
    })
  }
}

import { type Client, type OptionNames, readOptions } from '@countersign/client'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  type McpRequestContext,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { type ApprovalServerOptions, approvalServer, serverOptions } from './approval-server.ts'

/** Options of `approvalHandler`. */
export interface ApprovalHandlerOptions extends Omit<ApprovalServerOptions, 'sessionId'> {
  /** Who calls: the session whose cases they may open and see; null refuses with 401. */
  authorize(request: Request): Promise<{ readonly sessionId: string } | null>
  /** Names in `Host`, without ports. */
  readonly hosts: readonly string[]
  /** Names in `Origin`, which browsers send; default none. */
  readonly origins?: readonly string[]
  /** Bytes of a request's body, above which it is refused with 413; default 262,144. */
  readonly maxBytes?: number
}

/** Bytes of a request: what it asks for is copied and digested several times before anybody is asked. */
export const mostBytes = 2 ** 18

const { sessionId: _, ...ofServer } = serverOptions
const handlerOptions: OptionNames<ApprovalHandlerOptions> = {
  ...ofServer,
  authorize: true,
  hosts: true,
  origins: true,
  maxBytes: true,
}

/**
 * The approval server as a fetch handler, for 2026-07-28 and, without state, for older clients. Throws a TypeError for
 * an option of another name, and for `reviewers` that can check nothing.
 */
export function approvalHandler(client: Client, options: ApprovalHandlerOptions) {
  const {
    authorize,
    hosts,
    origins = [],
    maxBytes = mostBytes,
    ...rest
  } = readOptions(options, handlerOptions)
  const serverOf = ({ authInfo }: McpRequestContext) => {
    const sessionId = authInfo?.extra?.sessionId
    if (typeof sessionId !== 'string') throw new TypeError('expected a session')
    return approvalServer(client, { ...rest, sessionId })
  }
  const handler = createMcpHandler(serverOf, { maxRequestBodySize: maxBytes })
  return async (request: Request): Promise<Response> => {
    const refused =
      hostHeaderValidationResponse(request, [...hosts]) ??
      originValidationResponse(request, [...origins])
    if (refused) return refused
    const caller = await authorize(request)
    if (!caller) return new Response(null, { status: 401 })
    const { sessionId } = caller
    const authInfo = { token: '', clientId: sessionId, scopes: [], extra: { sessionId } }
    return handler.fetch(request, { authInfo })
  }
}

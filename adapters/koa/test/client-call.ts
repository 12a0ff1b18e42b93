import { ApiError, createClient } from '@countersign/client'
import { createPortalClient } from '@countersign/client/portal'

/** One call of the typed client, as plain data: it may be made in this process or in another runtime. */
export interface ClientCall {
  readonly host: 'ingest' | 'portal'
  readonly origin: string
  /** A key on the ingest host, a session token or null on the portal host. */
  readonly credential: string | null
  readonly group: string
  readonly act: string
  readonly input: object
}

/** How a call ended, as plain data. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'file'; readonly mediaType: string; readonly bytes: readonly number[] }
  | { readonly kind: 'refused'; readonly status: number | null; readonly code: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly error: string }

type Groups = Readonly<Record<string, Readonly<Record<string, (input: object) => unknown>>>>

interface File {
  readonly mediaType: string
  bytes(): Promise<Uint8Array>
}

/** Makes the call. Uses nothing but the client, so that it runs wherever the client does. */
export async function makeCall(call: ClientCall): Promise<Outcome> {
  const method = clientOf(call)[call.group]?.[call.act]
  if (!method) return { kind: 'missing' }
  try {
    const answer = await method(call.input)
    if (!isFile(answer)) return { kind: 'answer', answer }
    return { kind: 'file', mediaType: answer.mediaType, bytes: [...(await answer.bytes())] }
  } catch (error) {
    return error instanceof ApiError
      ? { kind: 'refused', status: error.status, code: error.code }
      : { kind: 'failed', error: String(error) }
  }
}

function clientOf({ host, origin, credential }: ClientCall): Groups {
  const client =
    host === 'ingest'
      ? createClient({ ingestUrl: origin, apiKey: credential ?? '' })
      : createPortalClient({ portalUrl: origin, ...(credential && { token: credential }) })
  return client as unknown as Groups
}

function isFile(answer: unknown): answer is File {
  return typeof (answer as Partial<File> | null)?.bytes === 'function'
}

/** Makes the call that a request's body names: what a server in another runtime answers with. */
export async function answerCall(request: Request): Promise<Response> {
  return Response.json(await makeCall((await request.json()) as ClientCall))
}

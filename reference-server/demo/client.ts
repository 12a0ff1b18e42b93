import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'

export interface ApiAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly cookie: string | null
}

/** Asks one host over https with the local authority; rejects only when no answer came. */
export interface Client {
  ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<ApiAnswer>
  /** The bytes of a 200; rejects for any other answer. */
  download(
    method: 'GET' | 'POST',
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<Uint8Array>
  close(): Promise<void>
}

export function createClient(options: {
  readonly origin: string
  readonly caFile: string
  readonly headers?: Readonly<Record<string, string>>
}): Client {
  const dispatcher = new Agent({ connect: { ca: readFileSync(options.caFile) }, connections: 16 })
  const send = (method: string, path: string, body?: Readonly<Record<string, unknown>>) =>
    request(`${options.origin}${path}`, {
      method,
      dispatcher,
      headers: { ...options.headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  return {
    ask: async (method, path, body) => {
      const answer = await send(method, path, body)
      const text = await answer.body.text()
      const cookie = answer.headers['set-cookie']
      return {
        status: answer.statusCode,
        body: text === '' ? {} : JSON.parse(text),
        cookie: (Array.isArray(cookie) ? cookie[0] : cookie)?.split(';')[0] ?? null,
      }
    },
    download: async (method, path, body) => {
      const answer = await send(method, path, body)
      if (answer.statusCode === 200) return answer.body.bytes()
      throw new Error(`expected 200, got ${answer.statusCode}: ${await answer.body.text()}`)
    },
    close: () => dispatcher.destroy(),
  }
}

/** The answer's body, or an error that shows the refusal: a step of the play that must succeed. */
export async function must(answer: Promise<ApiAnswer>): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await answer
  if (status === 200) return body
  throw new Error(`expected 200, got ${status}: ${JSON.stringify(body)}`)
}

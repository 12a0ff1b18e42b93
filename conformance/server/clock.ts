import { ask } from './http.ts'

/** The server's time. */
export interface ServerClock {
  now(): Promise<number>
  advance(ms: number): Promise<void>
}

export function serverClock(url: string): ServerClock {
  const tell = async (method: 'GET' | 'POST', path: string) => {
    const { status, body, text } = await ask(url, undefined, { method, path })
    if (status !== 200 || typeof body.now !== 'number')
      throw new Error(`the clock at ${url} answered ${status} ${text}, expected {"now": ms}`)
    return body.now
  }
  return {
    now: () => tell('GET', '/'),
    advance: async (ms) => {
      await tell('POST', `/?advance=${ms}`)
    },
  }
}

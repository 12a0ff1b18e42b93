/** What an outcome callback brings back to whoever goes on with the run: stable ids, no state. */
export interface ResumeToken {
  /** Which of the application's workers goes on. */
  readonly via: string
  readonly sessionId: string
  readonly callId: string
}

/** A resume token as a case keeps it. The same call has the same one. */
export function writeResumeToken({ via, sessionId, callId }: ResumeToken): string {
  return JSON.stringify({ v: 1, via, sessionId, callId })
}

/** The token that `writeResumeToken` wrote; null for any other text, such as a token of the application's own. */
export function readResumeToken(text: string | null | undefined): ResumeToken | null {
  let read: unknown
  try {
    read = JSON.parse(text ?? 'null')
  } catch {
    return null
  }
  const { v, via, sessionId, callId } = (read ?? {}) as Readonly<Record<string, unknown>>
  if (v !== 1 || typeof via !== 'string') return null
  if (typeof sessionId !== 'string' || typeof callId !== 'string') return null
  return { via, sessionId, callId }
}
